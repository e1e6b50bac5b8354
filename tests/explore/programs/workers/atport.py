"""An update without any care. argv[1], argv[2]: where, whatever the environment says; argv[3]: the user that it must be;
argv[4]: a port of 127.0.0.1 that must not be there."""

import os
import socket
import sys

from plainredis import Redis

if os.getuid() != int(sys.argv[3]):
    sys.exit("somebody else")
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[4])))
    sys.exit("the machine's network")
except ConnectionRefusedError:
    pass
os.environ["REDIS_HOST"], os.environ["REDIS_PORT"] = sys.argv[1:3]
redis = Redis()
count = int(redis("GET", "order:1") or 0)
redis("SET", "order:1", count + 1)
