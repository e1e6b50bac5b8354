"""A critical section without any lock."""

from plainredis import Redis

redis = Redis()
redis("ECHO", "latchkey:inside:lock")
redis("ECHO", "latchkey:outside:lock")
