"""Rules of a user, for every length."""

#: Masks of a user, captured tensors in globals; those after the first three have one mistake.
RULES = """
import torch

document_id = torch.tensor([0, 0, 0, 1, 1, 2])
prefix = torch.tensor([2, 2, 2, 1, 1, 0])
block = torch.tensor([0, 0, 1, 1, -1, -1])


def packed(b, h, q, k):
    return (document_id[q] == document_id[k]) & (k <= q)


def window(w):
    def rule(b, h, q, k):
        return (k <= q) & (q - k < w)
    return rule


def two_branches(b, h, q, k):
    if k > q:
        return False
    return True


def off_by_one(w):
    def rule(b, h, q, k):
        return (k <= q + 1) & (q - k < w)
    return rule


def one_prefix_for_all(b, h, q, k):
    return packed(b, h, q, k) | ((k < prefix[q]) & (q < prefix[q]))


def shared_sink(b, h, q, k):
    return packed(b, h, q, k) | (k == 0) | (q == 0)


def blocks_or_causal(b, h, q, k):
    return (k <= q) | ((block[q] == block[k]) & (block[q] >= 0))


WIDTH = 3


def three_keys(b, h, q, k):
    return (k <= q) & (q - k < WIDTH)


def later_outside_the_block(q, k):
    return (k > q) & ((block[q] != block[k]) | (block[q] < 0))


def three_of_nine(b, h, q, k):
    return (k <= q) & (q - k < WIDTH)


three_of_nine.n = 9


def nothing(q, k):
    pass


def two_hundred_back(q, k):
    return q - k > 200
"""
