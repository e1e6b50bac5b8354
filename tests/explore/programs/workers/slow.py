"""It takes its time before each command."""

import time

from plainredis import Redis

redis = Redis()
for n in range(1000):
    time.sleep(0.2)
    redis("SET", "slow", n, "PX", 10000)
