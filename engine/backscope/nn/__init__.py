"""Modules: parameters, containers, layers, losses and what works upon them, written on the ops."""
