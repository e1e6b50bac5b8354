"""A lock that is waited for in a loop that sleeps, for ten seconds at most."""

import os
import time

from plainredis import Redis

redis = Redis()
token = os.urandom(16).hex()
until = time.monotonic() + 10
while not redis("SET", "lock", token, "NX", "PX", 4000):
    if time.monotonic() > until:
        redis("SET", "given-up", 1, "PX", 1000)
        raise SystemExit(0)
    time.sleep(0.1)
redis("ECHO", "latchkey:inside:lock")
redis("ECHO", "latchkey:outside:lock")
redis("EVAL", "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0", 1, "lock", token)
