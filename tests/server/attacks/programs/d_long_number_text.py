# Ends: TimeLimitExceeded, error
import sys

sys.set_int_max_str_digits(0)
print(len(str(int("9" * 8_000_000))))
