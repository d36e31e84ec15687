"""What the studies of the gradient flow share: four parametrisations, one colour each, two axes.

Blue is one matrix of output and value, orange a product; dark is one matrix of attention.
"""

KINDS = ("CACO", "FACO", "CAFO", "FAFO")
COLOURS = dict(zip(KINDS, ("#0b3954", "#3f9bc8", "#a23e12", "#eb9f45"), strict=True))
#: What attention is called on an axis, and the ratio of learning rates.
ATTENTION = "attention on the distinct tokens, s"
RATIO = "ratio of learning rates, η_QK/η_OV"
