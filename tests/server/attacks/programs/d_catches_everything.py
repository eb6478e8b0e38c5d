# Ends: EventLimitExceeded, TimeLimitExceeded
def stay():
    while True:
        try:
            raise KeyboardInterrupt
        except BaseException:
            pass
        finally:
            continue


stay()
