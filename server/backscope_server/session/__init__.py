"""Sessions: the log of each run, the supervision of its process, and the pool of all sessions."""
