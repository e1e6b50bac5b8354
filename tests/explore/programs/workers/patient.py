"""It holds a lock for an hour, and leaves a note of what is left of another key's lifetime then."""

import time

from plainredis import Redis

redis = Redis()
redis("SET", "lock", "held", "PX", 4000000)
redis("SET", "other", 1, "PX", 7200000)
time.sleep(3600)
redis("PTTL", "other")
redis("DEL", "lock")
redis("SET", "note", 1)
