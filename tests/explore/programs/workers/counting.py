"""A lock with a counter beside it, which all clients change. The argument names what the client does in the end."""

import os
import sys

from plainredis import Redis

redis = Redis()
how = sys.argv[1]
token = "held" if how == "kept" else os.urandom(16).hex()
RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"
if how == "semaphore":
    redis("INCR", "counter")
if redis("SET", "lock", token, "NX", "PX", 10000):
    if how != "semaphore":
        redis("INCR", "counter")
    redis("ECHO", "latchkey:inside:lock")
    redis("ECHO", "latchkey:outside:lock")
    if how == "careless":
        redis("DEL", "lock")
    elif how != "kept":
        redis("EVAL", RELEASE, 1, "lock", token)
if how == "semaphore":
    redis("DECR", "counter")
