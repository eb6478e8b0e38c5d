# Ends: OutputLimitExceeded, EventLimitExceeded, TimeLimitExceeded
import warnings

warnings.simplefilter("always")
while True:
    warnings.warn("w" * 1000)
