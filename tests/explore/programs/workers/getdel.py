"""A lock with a token, which is compared before it is deleted, and not as one. Three tries."""

import os

from plainredis import Redis

redis = Redis()
token = os.urandom(16).hex()
for _ in range(3):
    if redis("SET", "lock", token, "NX", "PX", 10000):
        redis("ECHO", "latchkey:inside:lock")
        redis("ECHO", "latchkey:outside:lock")
        if redis("GET", "lock") == token.encode():
            redis("DEL", "lock")
        break
