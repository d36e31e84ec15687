"""Agreement by template: "the N1 P the N2", where N1 is the subject and N2 an attractor.

Task: the tokens are those five. Predicted is the number of N1; half of the time N2 has the other
one. Relevant is N1. The score is accuracy. Nouns have a singular and a plural form, each a word of
its own, so that the number is told by which word stands there. Source: ours.
"""

import random

from attnproof.numeric.datasets.dataset import Dataset, Example, Score
from attnproof.symbolic.errors import ParameterError

LABELS = ("singular", "plural")
NOUNS = (
    ("author", "authors"), ("baker", "bakers"), ("boat", "boats"), ("box", "boxes"),
    ("child", "children"), ("city", "cities"), ("dog", "dogs"), ("farmer", "farmers"),
    ("foot", "feet"), ("garden", "gardens"), ("key", "keys"), ("knife", "knives"),
    ("letter", "letters"), ("man", "men"), ("mouse", "mice"), ("painter", "painters"),
    ("river", "rivers"), ("story", "stories"), ("teacher", "teachers"), ("woman", "women"),
)  # fmt: skip
PREPOSITIONS = ("behind", "beside", "near", "with")


def load(examples: int = 1500, seed: int = 0) -> Dataset:
    """So many sentences, drawn uniformly; equal ones stay together in a split.

    >>> load(1, seed=3).examples[0].tokens[:-1]
    ('the', 'teacher', 'beside', 'the', 'knives')
    """
    if examples < 1:
        raise ParameterError(f"examples is {examples}; give 1 or more", examples=examples)
    draw = random.Random(seed)
    found: list[Example] = []
    for _ in range(examples):
        label = draw.randrange(2)
        subject = draw.choice(NOUNS)[label]
        words = ("the", subject, draw.choice(PREPOSITIONS), "the", draw.choice(draw.choice(NOUNS)))
        found.append(Example.of(words, label, [1], group=" ".join(words)))
    return Dataset("templates", LABELS, Score.ACCURACY, tuple(found))
