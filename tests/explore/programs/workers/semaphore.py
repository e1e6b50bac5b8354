"""A semaphore of one, as members with times: those that are too old are removed, and the lowest rank has it."""

import os
import time

from plainredis import Redis

redis = Redis()
token = os.urandom(16).hex()
now = time.time()
redis("ZREMRANGEBYSCORE", "semaphore", "-inf", now - 10)
redis("ZADD", "semaphore", now, token)
if redis("ZRANK", "semaphore", token) == 0:
    redis("ECHO", "latchkey:inside:semaphore")
    redis("ECHO", "latchkey:outside:semaphore")
redis("ZREM", "semaphore", token)
