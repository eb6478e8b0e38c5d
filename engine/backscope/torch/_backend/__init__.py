"""Functions of torch about its build, its devices and its compiler, and the import hook for `import torch`.

Programs don't import these modules: those of `torch` import their functions from here.
"""
