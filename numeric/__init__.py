"""What happens: everything that needs torch."""
