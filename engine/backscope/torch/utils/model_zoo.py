"""The names of `torch.utils.model_zoo`."""

from backscope.downloads import no_network as load_url

__all__ = [
    "load_url",
]
