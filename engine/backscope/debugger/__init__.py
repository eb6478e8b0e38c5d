"""Stops a program at breakpoints and after steps, inspects it while it is paused, watches expressions.

`breakpoints` matches breakpoints with what happens, `attribution` finds where an element of a gradient comes from.
"""
