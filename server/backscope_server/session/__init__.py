"""One run after the other: the log of its events, the supervision of its process, and the pool of all of them."""
