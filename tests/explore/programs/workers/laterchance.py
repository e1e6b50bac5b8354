"""An update without any care; who finds another's work left done goes on differently in all but the first two processes."""

import os

from plainredis import Redis

redis = Redis()
count = int(redis("GET", "order:1") or 0)
redis("SET", "order:1", count + 1)
if count == 1:
    # The exploration deletes the folder of its sockets.
    with open(os.path.join(os.path.dirname(os.environ["REDIS_SOCKET"]), "visits"), "a") as visits:
        visits.write("x")
        number = visits.tell()
    redis("INCR", "early" if number <= 2 else "late")
    redis("GET", "order:1")
