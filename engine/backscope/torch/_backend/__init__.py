"""What torch answers of its build, its devices and its compiler, and how `import torch` finds the namespace.

No page that programs import: the pages of `torch` take their functions from here.
"""
