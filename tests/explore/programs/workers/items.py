"""One lock for each item; all clients count the items in one hash."""

import os

from plainredis import Redis

RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"

redis = Redis()
token = os.urandom(16).hex()
for item in ("a", "b"):
    if redis("SET", "lock:" + item, token, "NX", "PX", 5000):
        redis("ECHO", "latchkey:inside:" + item)
        redis("HINCRBY", "stock", item, -1)
        redis("ECHO", "latchkey:outside:" + item)
        redis("EVAL", RELEASE, 1, "lock:" + item, token)
