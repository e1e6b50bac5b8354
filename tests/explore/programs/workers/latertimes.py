"""It sends the time of day once it has found another's work done, and not before."""

import time

from plainredis import Redis

redis = Redis()
if redis("SET", "lock", "held", "NX", "PX", 10000):
    redis("DEL", "lock")
    redis("SET", "done", 1, "PX", 10000)
elif redis("EXISTS", "done"):
    redis("SET", "seen-at", time.time())
else:
    redis("SET", "waited-at", time.time(), "PX", 60000)
