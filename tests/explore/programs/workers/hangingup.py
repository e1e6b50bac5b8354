"""Waits for a job in the server for ever, and hangs up after two seconds: no client may have taken what comes later."""

import socket

from plainredis import Redis

redis = Redis()
if redis("SETNX", "first", 1):
    redis.socket.settimeout(2)
    try:
        redis("BRPOP", "jobs", 0)
    except socket.timeout:
        redis.close()
        redis = Redis()
        redis("SET", "hung-up", redis("LLEN", "jobs"))
else:
    redis("RPUSH", "jobs", "job")
