# Ends: error, ok, TimeLimitExceeded, EventStreamBroken, ProgramDied
class Meta(type):
    @property
    def __name__(cls):
        raise SystemExit("name")

    def __instancecheck__(cls, other):
        raise KeyboardInterrupt


class Bad(BaseException, metaclass=Meta):
    def __str__(self):
        raise Bad()

    __repr__ = __str__

    @property
    def __traceback__(self):
        raise Bad()


raise Bad()
