"""A lock that the same process takes twice, although it is not reentrant."""

from plainredis import Redis

redis = Redis()
for _ in range(2):
    while not redis("SET", "lock", "held", "NX"):
        pass
redis("ECHO", "latchkey:inside:lock")
redis("DEL", "lock")
