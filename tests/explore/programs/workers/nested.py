"""One lock within another; who does not get the outer one clears the inner one away."""

from plainredis import Redis

redis = Redis()
if redis("SET", "outer", "held", "NX", "PX", 10000):
    redis("ECHO", "latchkey:inside:outer")
    redis("SET", "inner", "held", "PX", 20000)
    redis("ECHO", "latchkey:inside:inner")
    redis("ECHO", "latchkey:outside:inner")
    redis("DEL", "inner")
    redis("ECHO", "latchkey:outside:outer")
    redis("DEL", "outer")
else:
    redis("DEL", "inner")
