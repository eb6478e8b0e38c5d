"""The ops, a page per family; importing `backscope.ops.all` declares them."""
