"""Properties of a mask for every length and all parameters, decided from its formula."""
