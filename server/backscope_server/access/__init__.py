"""Who may talk to the server, how often, and under which rules a browser shows its answers."""
