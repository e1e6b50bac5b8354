"""Whoever comes second brings a job. The first one waits for it for five seconds, and leaves a mark if none has come."""

from plainredis import Redis

redis = Redis()
redis("SET", "busy", 1, "PX", 3000)
if redis("SETNX", "first", 1):
    if not redis("BLPOP", "jobs", 5):
        redis("SET", "in-vain", 1)
else:
    redis("RPUSH", "jobs", "job")
