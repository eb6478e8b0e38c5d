"""The extension of IPython: `%load_ext backscope` adds the magic `%%backscope`, which records a cell and shows it."""
