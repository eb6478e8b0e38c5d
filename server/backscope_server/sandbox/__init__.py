"""Where programs run: a preloaded zygote, the children that it forks, one file for each layer of their lock-down."""
