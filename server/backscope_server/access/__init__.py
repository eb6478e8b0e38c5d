"""Access to the server: connections, tokens, origins, rates, and the security headers of answers."""
