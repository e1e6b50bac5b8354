"""A lock that is waited for in a loop without end; whoever has it and sees another wait leaves a note."""

from plainredis import Redis

redis = Redis()
redis("SET", "waiting", 1, "PX", 60000)
while not redis("SET", "lock", "held", "NX", "PX", 10000):
    pass
redis("DEL", "waiting")
if redis("EXISTS", "waiting"):
    redis("SET", "note", 1)
redis("DEL", "lock")
