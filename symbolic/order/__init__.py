"""The preorder that a mask generates when layers are stacked."""
