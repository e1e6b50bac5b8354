"""Work that is done once, after the last command. "careless": the mark is looked at before it is set; "careful": one command
sets it; "reported": as "careless", with a report of the critical section."""

import sys

from plainredis import Redis

redis = Redis()
how = sys.argv[1]
if how == "careful":
    redis("SET", "done", 1, "NX", "EX", 600)
elif not redis("EXISTS", "done"):
    redis("SETEX", "done", 600, 1)
    if how == "reported":
        redis("ECHO", "latchkey:inside:work")
