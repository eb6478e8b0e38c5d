"""Explains why memory keeps growing: graphs of earlier rounds that are held, retained graphs, reference cycles."""
