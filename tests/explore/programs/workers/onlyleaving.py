"""A lock whose holder reports only the end of its critical section."""

from plainredis import Redis

redis = Redis()
if redis("SET", "lock", "token-of-its-own", "NX", "PX", "10000"):
    redis("ECHO", "latchkey:outside:lock")
    redis("DEL", "lock")
