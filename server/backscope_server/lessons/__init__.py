"""Lessons: Markdown files with programs, predictions and changes; running them gives their moments and answers."""
