"""Work that is done once under a lock, as long as nothing marks it as done. The argument is how the lock is taken:
"expiring": with a lease; "checked": without one, after a look at it; "twice": with a lease, and a second look at the mark
behind it; "failing": as "expiring", with an exit code for work that is done already; "counting": as "expiring", with a
counter of the clients that find the work done."""

import os
import sys

from plainredis import Redis

redis = Redis()
how = sys.argv[1]
token = os.urandom(16).hex()


def acquire():
    if how == "checked":
        return not redis("EXISTS", "lock") and redis("SET", "lock", token)
    return redis("SET", "lock", token, "NX", "PX", 10000)


if how != "twice" and redis("EXISTS", "done"):
    if how == "counting":
        redis("INCR", "skipped")
    sys.exit(1 if how == "failing" else 0)
if acquire():
    if not redis("EXISTS", "done"):
        redis("ECHO", "latchkey:inside:lock")
        redis("SET", "done", 1)
        redis("ECHO", "latchkey:outside:lock")
    if redis("GET", "lock") == token.encode():
        redis("DEL", "lock")
