"""Whether ops are recorded, and how: grad modes, inference mode, forward mode, autocast."""
