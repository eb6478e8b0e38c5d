# Ends: ok, error
import sys

sys.stdout.close()
sys.stdout = sys.stderr = sys.__stdout__ = None


class Odd:
    def write(self, text):
        raise BaseException(text)

    flush = write


sys.stdout = Odd()
print("nothing")
