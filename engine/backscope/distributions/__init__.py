"""Probability distributions, written on the ops."""
