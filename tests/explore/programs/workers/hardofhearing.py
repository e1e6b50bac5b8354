"""Whoever comes second calls. The first one listens for five seconds, and leaves a mark if it has heard nothing."""

import socket

from plainredis import Redis

redis = Redis()
ear = Redis()
if redis("SETNX", "first", 1):
    ear("SUBSCRIBE", "calls")
    ear.socket.settimeout(5)
    try:
        ear.read()
    except socket.timeout:
        redis("SET", "unheard", 1)
else:
    redis("PUBLISH", "calls", "hello")
