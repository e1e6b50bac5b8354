"""A lock that is taken by removing an element: the argument is the command that takes it. A client that finds none gives one
back nevertheless. "LMOVE", "BLMOVE" and "SMOVE" move it to another key. "several": there are two elements. "job": the elements
are jobs, and the lock is another key. "queue", "moved queue" and "archive": the elements are jobs that are not put back; an
archive keeps those that are done.
"toggled": each client adds a job of its own, and the lock is a number that is 1 while it is held."""

import os
import sys

from plainredis import Redis

redis = Redis()
how = sys.argv[1]
put = {"SPOP": ("SADD", "pool"), "SMOVE": ("SADD", "pool"), "ZPOPMIN": ("ZADD", "pool", 1)}.get(how, ("RPUSH", "pool"))
take = {
    "SPOP": ("SPOP", "pool"),
    "ZPOPMIN": ("ZPOPMIN", "pool"),
    "BLPOP": ("BLPOP", "pool", 5),
    "LMOVE": ("LMOVE", "pool", "taken", "LEFT", "RIGHT"),
    "BLMOVE": ("BLMOVE", "pool", "taken", "LEFT", "RIGHT", 5),
    "SMOVE": ("SMOVE", "pool", "taken", "one"),
    "moved queue": ("LMOVE", "pool", "taken", "LEFT", "RIGHT"),
    "archive": ("LMOVE", "pool", "taken", "LEFT", "RIGHT"),
}.get(how, ("LPOP", "pool"))
token = os.urandom(16).hex()
if how == "toggled":
    redis("RPUSH", "pool", "one")
elif redis("SETNX", "made", 1):
    for element in ["one", "two"] if how in ("several", "job") else ["one"]:
        redis(*put, element)
taken = redis(*take)
if how == "job":
    taken = taken and redis("SET", "lock", token, "NX", "PX", 10000)
if how == "toggled" and redis("GETSET", "lock", 1) == b"1":
    sys.exit(0)
if taken:
    redis("ECHO", "latchkey:inside:lock")
    redis("ECHO", "latchkey:outside:lock")
if how == "job":
    if taken:
        redis("DEL", "lock")
elif how == "toggled":
    redis("SET", "lock", 0)
elif how == "archive" or how.endswith("queue"):
    if taken and how == "moved queue":
        redis("LREM", "taken", 1, taken)
elif how.endswith("MOVE"):
    if taken:
        redis("SMOVE" if how == "SMOVE" else "LMOVE", "taken", "pool", *(["one"] if how == "SMOVE" else ["LEFT", "RIGHT"]))
else:
    redis(*put, "one")
