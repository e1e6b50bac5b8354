"""It waits by the machine's clock, for up to an hour: at once, or once it has begun."""

import socket
import struct
import sys

from plainredis import Redis


def limit():
    socket.socket().setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 3600, 0))


redis = Redis()
if sys.argv[1:] == []:
    limit()
redis("SET", "k", 1, "PX", 1000)
limit()
redis("DEL", "k")
