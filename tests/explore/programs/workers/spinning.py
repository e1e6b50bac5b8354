"""A lock that is waited for in a loop without end."""

from plainredis import Redis

redis = Redis()
while not redis("SET", "lock", "held", "NX", "PX", 10000):
    pass
redis("ECHO", "latchkey:inside:lock")
redis("ECHO", "latchkey:outside:lock")
redis("DEL", "lock")
