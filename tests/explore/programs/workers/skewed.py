"""Writes a key that never expires if the server's clock and its own differ by more than a minute."""

import time

from plainredis import Redis

redis = Redis()
redis("SET", "started", "1", "EX", 3600)
seconds = int(redis("TIME")[0])
if abs(seconds - time.time()) > 60:
    redis("SET", "skewed", "1")
redis("DEL", "started")
