# Ends: OutputLimitExceeded, EventLimitExceeded
while True:
    print()
