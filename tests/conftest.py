"""Hypothesis for every test: the same examples at every run, and no time limit on one of them."""

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("repeatable")
