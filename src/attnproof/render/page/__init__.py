"""The page of a report: one HTML file that shows what each position holds after each layer."""
