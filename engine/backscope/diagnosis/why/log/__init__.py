"""The log of a run as questions read it: events by what they are about, and the facts that follow from them."""
