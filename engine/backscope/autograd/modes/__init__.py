"""Modes that decide whether and how ops are recorded: grad modes, inference mode, forward mode, autocast."""
