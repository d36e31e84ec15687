"""The named masks, one a file: the formula that defines it and its row intervals."""
