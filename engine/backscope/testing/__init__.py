"""The pytest plugin: recordings of tests, what they say where a test fails, and checks of gradients.

pytest loads `plugin` by the entry point `pytest11`; that loads the rest, and the engine, when a test asks for it.
"""
