"""A mask as an exact value: ``mask[q, k]`` is true when query ``q`` reads key ``k``."""
