"""The parts of every module: its call, hooks, parameters, state, and the containers of modules."""
