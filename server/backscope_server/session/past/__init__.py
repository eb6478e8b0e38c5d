"""The past of a run: its program is run again to a moment, and what was there is read."""
