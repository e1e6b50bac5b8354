"""A lock that is tried so many times, and then gone without: the counter is left behind."""

import sys

from plainredis import Redis

redis = Redis()
for _ in range(int(sys.argv[1])):
    if redis("SET", "lock", "held", "NX", "PX", 10000):
        redis("DEL", "lock")
        break
else:
    redis("SET", "given-up", 1)
