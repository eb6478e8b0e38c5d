from backscope.docs.mkdocs import on_config, on_page_markdown, on_post_build  # noqa: F401
