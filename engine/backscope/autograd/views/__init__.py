"""Views and in-place changes: which tensor is a view of which, and how the history of a base changes with them."""
