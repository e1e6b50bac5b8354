"""Waits for the next full minute of its clock."""

import time

from plainredis import Redis

redis = Redis()
redis("SET", "job", "1", "NX", "EX", 20)
time.sleep(60 - time.time() % 60)
redis("SET", "done", int(time.time() % 60) // 10, "EX", 60)
redis("DEL", "job")
