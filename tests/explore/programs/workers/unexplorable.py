"""Programs that cannot be explored, each for the cause that the argument names."""

import os
import sys

from plainredis import Redis

redis = Redis()
cause = sys.argv[1]
token = os.urandom(16).hex()
if cause == "short":
    redis("SET", "lock", os.urandom(3).hex(), "NX", "PX", 10000)
elif cause == "process":
    if not redis("SET", "lock", os.getpid(), "NX", "PX", 10000):
        os.kill(int(redis("GET", "lock") or os.getpid()), 0)
elif cause == "ordering":
    redis("SET", "ticket", token, "PX", 10000)
    for digit in token:  # Two processes with equal decisions for all digits do not occur.
        redis("ECHO", "low" if digit < "8" else "high")
elif cause == "document":
    redis("SET", "lock", '{"owner": "me", "number": %d}' % int.from_bytes(os.urandom(4), "big"), "PX", 10000)
    redis("EVAL", "return cjson.decode(redis.call('get', KEYS[1])).owner", 1, "lock")
elif cause == "connections":
    pool = [redis, Redis()]
    for digit in token:
        pool[digit < "8"]("WATCH", "lock")
elif cause == "threads":
    import threading

    # In place of two threads that race, because both orders have to occur.
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    for digit in token:
        redis("GET" if digit < "8" else "TTL", "lock")
