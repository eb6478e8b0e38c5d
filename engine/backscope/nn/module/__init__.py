"""What every module is: its call, hooks, parameters, state, the containers of modules."""
