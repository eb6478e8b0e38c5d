"""Views and in-place changes: who is a view of whom, and how the history of a base changes with them."""
