"""It has itself woken by the machine's clock, in an hour: at once, or once it has begun."""

import signal
import sys

from plainredis import Redis

redis = Redis()
if sys.argv[1:] == []:
    signal.setitimer(signal.ITIMER_REAL, 3600)
redis("SET", "k", 1, "PX", 1000)
signal.setitimer(signal.ITIMER_REAL, 3600)
redis("DEL", "k")
