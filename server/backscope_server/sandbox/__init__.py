"""The processes that programs run in: a preloaded zygote, the children that it forks, and their test at start-up."""
