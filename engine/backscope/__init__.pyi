from backscope.program.recording import Recording as Recording, record as record
from backscope.runtime.version import VERSION as __version__

__all__ = ["Recording", "__version__", "record"]
