# Ends: ok, TimeLimitExceeded
import atexit, os


@atexit.register
def stay():
    print("PWNED ran after the end" if False else "late")
    while True:
        pass


print("end")
