"""It fails where the lock is another's."""

import sys

from plainredis import Redis

redis = Redis()
if not redis("SET", "lock", "held", "NX", "PX", 10000):
    sys.exit("the lock is another's")
redis("DEL", "lock")
