"""Transformers that map given sequences exactly to given sequences, and two verifiers of that."""
