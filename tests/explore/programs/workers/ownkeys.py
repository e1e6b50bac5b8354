"""A lock whose name ends with the number of the process, and which stays."""

import os

from plainredis import Redis

redis = Redis()
key = "lock:user:7:%d" % os.getpid()
redis("SET", key, 1)
redis("ECHO", "latchkey:inside:user")
redis("ECHO", "latchkey:outside:user")
redis("GET", key)
