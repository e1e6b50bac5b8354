"""A value that one client computes while the others wait for it; the guard goes without a token."""

import time

from plainredis import Redis

redis = Redis()
for _ in range(3):
    if redis("GET", "value"):
        break
    if redis("SET", "guard", 1, "NX", "PX", 5000):
        redis("ECHO", "latchkey:inside:value")
        redis("ECHO", "latchkey:outside:value")
        redis("SET", "value", 42, "PX", 60000)
        redis("DEL", "guard")
        break
    time.sleep(0.1)
