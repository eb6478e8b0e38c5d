# Ends: ok, error
import os, random, secrets, hashlib
import numpy as np

print(len(os.urandom(8)), len(secrets.token_hex(8)), len(str(random.SystemRandom().random())))
print(np.random.default_rng().random() < 1, hashlib.sha256(b"x").hexdigest()[:8])
