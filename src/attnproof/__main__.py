"""``python -m attnproof`` is the command line."""

from attnproof.cli.main import main

main()
