"""Questions, one a file: read what the user holds, call the mathematics, wrap the answer."""
