"""Two rounds under a lock, with a count of the failed attempts. The argument is how they are counted: "counter": as a number;
"field": in a hash; "expiring": as a number with a lifetime; "reset": as a number that is deleted when it is 2."""

import os
import sys

from plainredis import Redis

redis = Redis()
how = sys.argv[1]
token = os.urandom(16).hex()
release = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"


def count():
    if how == "field":
        redis("HINCRBY", "failed", "attempts", 1)
        return
    count = redis("INCR", "failed")
    if how == "expiring":
        redis("PEXPIRE", "failed", 60000)
    elif how == "reset" and count == 2:
        redis("DEL", "failed")


for attempt in range(2):
    if redis("SET", "lock", token, "NX", "PX", 10000):
        redis("ECHO", "latchkey:inside:lock")
        redis("ECHO", "latchkey:outside:lock")
        redis("EVAL", release, 1, "lock", token)
    else:
        count()
