# Ends: TimeLimitExceeded
import signal

while True:
    try:
        signal.pause()
    except BaseException:
        import select

        select.select([], [], [], 1000)
