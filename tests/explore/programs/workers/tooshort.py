"""A lock with a lease of 10 ms, held over a pause of one second; inside, a counter is read and written back."""

import time

from plainredis import Redis

redis = Redis()

if redis("SET", "lock", "held", "NX", "PX", "10"):
    redis("ECHO", "latchkey:inside:lock")
    number = int(redis("GET", "order:1") or 0)
    time.sleep(1)
    redis("SET", "order:1", str(number + 1))
    redis("ECHO", "latchkey:outside:lock")
