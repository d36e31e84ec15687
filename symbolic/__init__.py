"""What is true: masks as relations, their order, and the values that answers are made of."""
