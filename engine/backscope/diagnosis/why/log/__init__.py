"""The log of a run, indexed for answers: events by their subjects, and the facts that follow from them."""
