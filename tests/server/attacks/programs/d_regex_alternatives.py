# Ends: TimeLimitExceeded
import re

re.fullmatch(r"(x|x|x+)*y", "x" * 48)
