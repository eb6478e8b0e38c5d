"""Views, and other arrangements of the same elements."""
