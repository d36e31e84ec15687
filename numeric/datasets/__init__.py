"""Labelled text in which the tokens that matter are known: one format a file."""
