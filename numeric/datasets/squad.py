"""SQuAD: from the sentence of an answer, which question word asks for it.

Files: SQuAD v1.1 and v2.0, ``{"version", "data": [{"title", "paragraphs": [{"context", "qas":
[{"id", "question", "answers": [{"text", "answer_start"}], "is_impossible"}]}]}]}``, where
``answer_start`` counts Unicode code points of the context.

Task: the tokens are the sentence of the context that holds the answer, from the first to the last
one where several gold answers lie apart; the question is not shown. Predicted is the question
word: *who*, *when*, *where* or *how many*, since these ask for a kind of thing that its own tokens
tell (a name, a year, a place, a number). Relevant are the tokens that overlap any of the gold
answers. The score is macro F1. Questions of v2.0 without an answer and questions with another
question word are left out and counted. Questions of one article stay together in a split.
"""

import re

import msgspec

from attnproof.numeric.datasets.dataset import Dataset, Example, Score
from attnproof.numeric.datasets.files import document, malformed
from attnproof.numeric.datasets.text import Span, overlapping, sentences, tokens

LABELS = ("who", "when", "where", "how many")
_QUESTION_WORD = re.compile(r"\b(how (?:many|much)|who(?:m|se)?|when|where|what|which|why|how)\b")
_MEANS = {"whom": "who", "whose": "who", "how much": "how many"}


class Answer(msgspec.Struct, frozen=True):
    """A gold answer and where it starts in the context."""

    text: str
    answer_start: int


class Question(msgspec.Struct, frozen=True):
    """A question; those of v2.0 may be impossible to answer."""

    id: str
    question: str
    answers: list[Answer]
    is_impossible: bool = False


class Paragraph(msgspec.Struct, frozen=True):
    """A context and what is asked about it."""

    context: str
    qas: list[Question]


class Article(msgspec.Struct, frozen=True):
    """Paragraphs under a title."""

    title: str
    paragraphs: list[Paragraph]


class File(msgspec.Struct, frozen=True):
    """A whole file."""

    data: list[Article]
    version: str = ""


def load(path: str) -> Dataset:
    """The questions of a file that the task can use.

    Raises :class:`FileError` with the place in the file where a field is missing or of another
    type, and with the id of a question whose answer does not stand where it says.
    """
    file = document(path, File)
    examples: list[Example] = []
    dropped: dict[str, int] = {}
    for article in file.data:
        for paragraph in article.paragraphs:
            for question in paragraph.qas:
                asked = question_word(question.question)
                reason = None
                if question.is_impossible:
                    reason = "no answer in the context"
                elif asked not in LABELS:
                    reason = f"question word: {asked or 'none'}"
                spans = [_span(path, paragraph.context, question.id, a) for a in question.answers]
                if not question.is_impossible and not spans:
                    raise malformed(
                        path,
                        f"question {question.id}",
                        "answers is []; give one or more, or is_impossible as true",
                    )
                if reason is not None:
                    dropped[reason] = dropped.get(reason, 0) + 1
                    continue
                words, relevant = _passage(paragraph.context, spans)
                label = LABELS.index(asked)
                examples.append(Example.of(words, label, relevant, group=article.title))
    return Dataset("SQuAD", LABELS, Score.MACRO_F1, tuple(examples), dropped)


def question_word(question: str) -> str:
    """The first question word of a question, empty where there is none.

    >>> question_word("In which year was it?"), question_word("To whom?"), question_word("Name it")
    ('which', 'who', '')
    """
    found = _QUESTION_WORD.search(question.lower())
    return _MEANS.get(found[0], found[0]) if found else ""


def _span(path: str, context: str, question: str, answer: Answer) -> Span:
    start, end = answer.answer_start, answer.answer_start + len(answer.text)
    if not answer.text or start < 0 or context[start:end] != answer.text:
        raise malformed(
            path,
            f"question {question}",
            f"answer_start is {start}, and there the context has {context[max(start, 0) : end]!r}, "
            f"not the text {answer.text!r}; count code points from 0",
        )
    return start, end


def _passage(context: str, spans: list[Span]) -> tuple[list[str], frozenset[int]]:
    """The words of the sentences from the first answer to the last, and which are of an answer."""
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    touched = [(a, b) for a, b in sentences(context) if a < last and first < b]
    here, there = touched[0][0], touched[-1][1]
    found = tokens(context[here:there])
    moved = [(start - here, end - here) for start, end in spans]
    return [token.text for token in found], overlapping(found, moved)
