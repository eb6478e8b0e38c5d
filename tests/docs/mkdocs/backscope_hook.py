from backscope.docs.mkdocs import *  # noqa: F403
