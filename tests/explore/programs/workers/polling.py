"""A lock without a lease, for which a client asks every second for five seconds."""

import time

from plainredis import Redis

redis = Redis()
for _ in range(5):
    if redis("SET", "lock", "held", "NX"):
        redis("ECHO", "latchkey:inside:lock")
        redis("ECHO", "latchkey:outside:lock")
        redis("DEL", "lock")
        break
    time.sleep(1)
