"""A subscriber that ends without reading the reply to its last command. Another connection takes its turns before."""

import os

from plainredis import Redis

redis = Redis()
ear = Redis()
ear("SUBSCRIBE", "news")
for _ in range(3):
    redis("PUBLISH", "elsewhere", "nothing")
ear.socket.sendall(b"*1\r\n$11\r\nUNSUBSCRIBE\r\n")
os._exit(0)
