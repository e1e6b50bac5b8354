"""A lock that is tried for ever, and each try is counted."""

from plainredis import Redis

redis = Redis()
while not redis("SET", "lock", "held", "NX"):
    redis("INCR", "tries")
redis("ECHO", "latchkey:inside:lock")
