"""A semaphore of one: a counter that INCR raises on entry and DECR lowers after."""

from plainredis import Redis

redis = Redis()
if redis("INCR", "slots") == 1:
    redis("ECHO", "latchkey:inside:slots")
    redis("ECHO", "latchkey:outside:slots")
redis("DECR", "slots")
