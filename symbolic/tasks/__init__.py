"""Training tasks: inputs, labels and a mask."""
