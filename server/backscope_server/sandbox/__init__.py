"""The processes that programs run in: a preloaded zygote, the children that it forks, and the test of their sandbox."""
