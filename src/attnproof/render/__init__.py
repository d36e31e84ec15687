"""Pictures and text of public values."""
