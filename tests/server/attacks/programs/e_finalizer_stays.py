# Ends: OutputLimitExceeded, ok, TimeLimitExceeded, error
class Stay:
    def __del__(self):
        while True:
            try:
                print("x", end="")
            except BaseException:
                pass


keep = Stay()
keep.me = keep
del keep
import gc

gc.collect()
