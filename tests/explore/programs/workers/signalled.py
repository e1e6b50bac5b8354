"""A lock with a lease. Who does not get it waits for a signal, and looks again when it has waited for long enough."""

from plainredis import Redis

redis = Redis()
while not redis("SET", "lock", "held", "NX", "PX", 10000):
    redis("BLPOP", "signal", 30)
redis("ECHO", "latchkey:inside:lock")
redis("ECHO", "latchkey:outside:lock")
redis("MULTI")
redis("DEL", "lock")
redis("DEL", "signal")
redis("RPUSH", "signal", 1)
redis("PEXPIRE", "signal", 1000)
redis("EXEC")
