"""Records programs on the engine and on PyTorch, and compares their events fact by fact."""
