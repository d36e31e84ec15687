"""English that every CPython brings: the number of a verb that stands next to its subject.

The text is the language reference in ``pydoc_data.topics``. Its sentences are searched for a
determiner, one word and *is*, *are*, *has*, *have*, *does* or *do*.

Task: the tokens are the words of the sentence before the verb, in lower case, the last
``WORDS`` of them. Predicted is whether the verb is singular or plural: the form says it, nobody
had to label it. Relevant is the word before the verb. The score is accuracy. The subject is always
adjacent, so no attractor stands between; where the text stands twice it stays together in a split.
"""

import re

from attnproof.numeric.datasets.dataset import Dataset, Example, Score
from attnproof.numeric.datasets.text import sentences, tokens
from attnproof.symbolic.errors import InputError

LABELS = ("singular", "plural")
#: The most words before the verb that are kept.
WORDS = 12
_NUMBER = {"is": 0, "has": 0, "does": 0, "are": 1, "have": 1, "do": 1}
_DETERMINERS = {"the", "a", "an", "this", "these", "those", "all", "no", "its", "their", "each"}
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
#: Words that follow a determiner there and are no subject.
_NO_SUBJECT = {"there", "this", "that", "it", "which", "they", "following", "above", "below"}


def load(text: str | None = None) -> Dataset:
    """The examples of a text, or of the language reference of this Python.

    >>> found = load("Here the list is empty. All names are strings.")
    >>> [(e.tokens[:-1], LABELS[e.label]) for e in found.examples]
    [(('here', 'the', 'list'), 'singular'), (('all', 'names'), 'plural')]

    Raises :class:`InputError` where this Python has no such text.
    """
    text = _reference() if text is None else text
    examples: list[Example] = []
    for start, end in sentences(text):
        words = [token.text.lower() for token in tokens(text[start:end])]
        for at in range(2, len(words)):
            determiner, subject, verb = words[at - 2 : at + 1]
            if (
                verb in _NUMBER
                and determiner in _DETERMINERS
                and _WORD.fullmatch(subject)
                and subject not in _NO_SUBJECT
            ):
                before = words[max(0, at - WORDS) : at]
                last = len(before) - 1
                examples.append(Example.of(before, _NUMBER[verb], [last], group=" ".join(before)))
    return Dataset("English", LABELS, Score.ACCURACY, tuple(examples))


def _reference() -> str:
    try:
        from pydoc_data.topics import topics
    except ImportError:
        raise InputError(
            "this Python has no pydoc_data.topics; install its documentation, or give a data file"
        ) from None
    return "\n\n".join(topics[name] for name in sorted(topics))
