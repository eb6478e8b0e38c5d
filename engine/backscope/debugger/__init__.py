"""Stops a program and lets it go on: breakpoints, steps, looking in, watching.

`attribution` finds where an element of a gradient comes from.
"""
