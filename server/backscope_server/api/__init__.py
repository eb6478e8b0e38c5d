"""The HTTP and WebSocket API: one FastAPI application, its routes, what they take and what they answer."""
