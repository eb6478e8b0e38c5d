"""Views and in-place changes: what is a view of what, and how the history of a base changes with them."""
