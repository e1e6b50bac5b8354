"""Takes two locks and retries until it has each. The arguments: "opposite": the order depends on who comes first; "leased":
as opposite, with leases; "same": always in the same order; "pausing": a pause between two tries."""

import os
import sys
import time

from plainredis import Redis

redis = Redis()
how = sys.argv[1:]
token = os.urandom(16).hex()
number = redis("INCR", "clients")
order = ("left", "right") if number % 2 or "same" in how else ("right", "left")
lease = ("PX", 10000) if "leased" in how else ()
for name in order:
    while not redis("SET", name, token, "NX", *lease):
        if "pausing" in how:
            time.sleep(1)
for name in order:
    redis("DEL", name)
