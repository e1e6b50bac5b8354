"""A lock that is given its lease by a second command. Three tries."""

from plainredis import Redis

redis = Redis()
for _ in range(3):
    if redis("SETNX", "lock", 1):
        redis("EXPIRE", "lock", 10)
        redis("ECHO", "latchkey:inside:lock")
        redis("ECHO", "latchkey:outside:lock")
        redis("DEL", "lock")
        break
