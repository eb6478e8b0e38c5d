"""The names of `torch.utils.model_zoo`."""

from backscope.torch._backend.downloads import no_network as load_url

__all__ = [
    "load_url",
]
