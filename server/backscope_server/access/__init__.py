"""Access control: limits by connection and address, tokens, origins, and the security headers of answers."""
