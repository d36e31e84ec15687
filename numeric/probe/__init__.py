"""Which positions a torch program may read: one run that carries sets of input positions."""
