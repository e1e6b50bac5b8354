"""A lock whose value is when it ends; who finds it over takes it over with GETSET, and does not look what was there."""

import time

from plainredis import Redis

redis = Redis()


def acquire():
    if redis("SETNX", "lock", time.time() + 5):
        return True
    found = redis("GET", "lock")
    if found and float(found) < time.time():
        redis("GETSET", "lock", time.time() + 5)
        return True
    return False


if acquire():
    redis("ECHO", "latchkey:inside:lock")
    redis("ECHO", "latchkey:outside:lock")
    redis("DEL", "lock")
