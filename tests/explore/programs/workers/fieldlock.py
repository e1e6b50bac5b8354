"""Locks that are fields of one hash, each with a lease of its own (Redis 8.0): given back without a look at whose it is."""

from plainredis import Redis

redis = Redis()
redis("HSETNX", "locks", "other", "for ever")
if redis("HSETEX", "locks", "FNX", "PX", 10000, "FIELDS", 1, "order", "held"):
    redis("ECHO", "latchkey:inside:lock")
    redis("ECHO", "latchkey:outside:lock")
    redis("HDEL", "locks", "order")
