"""A lock that is an element of a list: who has it may go in. Whoever comes first puts it there.
argv[1]: for how many seconds it is waited for; else for ever."""

import sys

from plainredis import Redis

redis = Redis()
if redis("SETNX", "made", 1):
    redis("RPUSH", "tokens", "token")
if not redis("BLPOP", "tokens", *(sys.argv[1:] or [0])):
    sys.exit()
redis("ECHO", "latchkey:inside:lock")
redis("ECHO", "latchkey:outside:lock")
redis("RPUSH", "tokens", "token")
