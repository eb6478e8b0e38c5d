project = "A book"
extensions = ["backscope.docs", "myst_parser"]
exclude_patterns = ["_build", "part/product.md"]
