"""An update without any care; who finds another's work left done goes on by chance."""

import random

from plainredis import Redis

redis = Redis()
count = int(redis("GET", "order:1") or 0)
redis("SET", "order:1", count + 1)
if count == 1:
    redis("INCR", "r%d" % random.randrange(1000000))
