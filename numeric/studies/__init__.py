"""Experiments that run again from a seed: one study a file, found by name."""
