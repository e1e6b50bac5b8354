"""Waits for a job before anything else, for five seconds, and leaves a mark if none has come."""

from plainredis import Redis

redis = Redis()
if not redis("BLPOP", "jobs", 5):
    redis("SET", "in-vain", 1)
