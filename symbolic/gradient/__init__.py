"""Gradient flow of a one-layer attention: derived from the loss, integrated, enclosed, compared."""
