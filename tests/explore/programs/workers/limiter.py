"""So many calls in a minute: the counter is given its lifetime by a second command."""

from plainredis import Redis

redis = Redis()
if redis("INCR", "calls") == 1:
    redis("EXPIRE", "calls", 60)
