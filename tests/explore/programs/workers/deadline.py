"""A lock whose value is when it ends, by the clock of whoever took it."""

import time

from plainredis import Redis

redis = Redis()
if redis("SETNX", "lock", time.time() + 10):
    redis("ECHO", "latchkey:inside:lock")
    redis("ECHO", "latchkey:outside:lock")
    redis("DEL", "lock")
