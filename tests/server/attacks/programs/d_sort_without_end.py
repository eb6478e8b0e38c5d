# Ends: TimeLimitExceeded
class Worst:
    def __lt__(self, other):
        while True:
            pass


sorted([Worst(), Worst()])
