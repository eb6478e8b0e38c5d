"""Lessons: Markdown files with programs, predictions and changes, whose moments and answers come from running them."""
