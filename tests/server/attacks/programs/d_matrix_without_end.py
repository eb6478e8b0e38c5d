# Ends: TimeLimitExceeded, error, MemoryLimitExceeded
import numpy as np

a = np.random.rand(1500, 1500)
while True:
    a = np.linalg.inv(a @ a.T + np.eye(1500))
