"""The version of Backscope and of the PyTorch that it follows."""

VERSION = "0.1.0"
TORCH_VERSION = "2.13.0"
