"""Small files in the forms of the data sets, as values that a test may change."""

import copy
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CONTEXT = "The café was built in 1897. Ann Lee, a baker, ran it. It stood in Paris 😀 until 1950."

SQUAD: dict[str, Any] = {
    "version": "v2.0",
    "data": [
        {
            "title": "Café",
            "paragraphs": [
                {
                    "context": CONTEXT,
                    "qas": [
                        {
                            "id": "a",
                            "question": "Who ran the café?",
                            "answers": [
                                {"text": "Ann Lee", "answer_start": 28},
                                {"text": "Lee, a baker", "answer_start": 32},
                            ],
                            "is_impossible": False,
                        },
                        {
                            "id": "b",
                            "question": "Until when did it stand?",
                            "answers": [{"text": "1950", "answer_start": 80}],
                        },
                        {
                            "id": "c",
                            "question": "Who bought it?",
                            "answers": [],
                            "is_impossible": True,
                            "plausible_answers": [{"text": "Ann Lee", "answer_start": 28}],
                        },
                        {
                            "id": "d",
                            "question": "What did Ann Lee do?",
                            "answers": [{"text": "ran it", "answer_start": 46}],
                        },
                    ],
                }
            ],
        }
    ],
}

HATEXPLAIN: dict[str, Any] = {
    "p1": {
        "post_id": "p1",
        "annotators": [
            {"label": "offensive", "annotator_id": 1, "target": ["None"]},
            {"label": "hatespeech", "annotator_id": 2, "target": ["Other"]},
            {"label": "hatespeech", "annotator_id": 3, "target": ["Other"]},
        ],
        "rationales": [[0, 1, 1], [0, 1, 0], [0, 0, 1]],
        "post_tokens": ["these", "awful", "people"],
    },
    "p2": {
        "post_id": "p2",
        "annotators": [{"label": "normal", "annotator_id": k, "target": []} for k in (1, 2, 3)],
        "rationales": [],
        "post_tokens": ["good", "day"],
    },
    "p3": {
        "post_id": "p3",
        "annotators": [
            {"label": label, "annotator_id": 1, "target": []}
            for label in ("normal", "offensive", "hatespeech")
        ],
        "rationales": [[1], [1]],
        "post_tokens": ["hm"],
    },
    "p4": {
        "post_id": "p4",
        "annotators": [
            {"label": label, "annotator_id": 1, "target": []}
            for label in ("offensive", "offensive", "normal")
        ],
        "rationales": [[1, 1], [1, 0]],
        "post_tokens": ["rude", "word"],
    },
}

DIVISIONS: dict[str, Any] = {"train": ["p1"], "val": ["p2"], "test": ["p4"]}

FIELDS: tuple[str, ...] = (
    "sentence", "orig_sentence", "pos_sentence", "subj", "verb", "subj_pos", "has_rel",
    "has_nsubj", "verb_pos", "subj_index", "verb_index", "n_intervening", "last_intervening",
    "n_diff_intervening", "distance", "max_depth", "all_nouns", "nouns_up_to_verb",
)  # fmt: skip
LINZEN: list[dict[str, str]] = [
    dict(zip(FIELDS, row.split("|"), strict=True))
    for row in (
        'the keys of "the" cabinet are here|o|p|keys|are|NNS|False|False|VBP|2|6|1|NN|1|4|2|n|n',
        "the boy runs .|o|p|boy|runs|NN|False|False|VBZ|2|3|0|na|0|1|1|n|n",
        "here is the boy|o|p|boy|is|NN|False|False|VBZ|4|2|0|na|0|1|1|n|n",
    )
]

TEXT = ["The keys near it fall . <eos>", "You add the water and put it in . <eos>"]
GOLD = [
    "L!NOUN_VERB\t1\t7\t4\tVERB\tMood=Ind|Number=Plur\tfall\tfalls\tfall\t1\tNOUN\tThe keys fall",
    "R!VERB_VERB\t0\t3\t5\tVERB\tNumber=Sing|Tense=Pres\tputs\tput\tput\t1\tVERB\tYou add and put",
]
SHORT_GOLD = ["4\tfall\tfalls\t0", "5\tis\tare\t1"]
PLACES = ["4", "5"]


def changed(value: Any, place: Sequence[str | int], new: Any) -> Any:
    """A copy with another value at one place; ``...`` takes the field away."""
    made = copy.deepcopy(value)
    inner = made
    for key in place[:-1]:
        inner = inner[key]
    if new is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = new
    return made


def write_json(path: Path, value: Any) -> str:
    """A file with a JSON document, compressed where it ends in .gz."""
    content = json.dumps(value, ensure_ascii=False).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return str(path)


def table(rows: Sequence[dict[str, str]], fields: Sequence[str] = FIELDS) -> str:
    """Rows under their header, tab-separated, fields with quotes in them quoted."""

    def quoted(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if '"' in cell else cell

    lines = ["\t".join(fields)]
    lines += ["\t".join(quoted(row[name]) for name in fields) for row in rows]
    return "".join(f"{line}\r\n" for line in lines)


def write_lines(path: Path, some: Sequence[str]) -> str:
    """A file with these lines."""
    path.write_text("".join(f"{line}\n" for line in some))
    return str(path)
