"""Families of tasks: what one network is to learn at once, each task with a mask of its own."""
