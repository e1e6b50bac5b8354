"""A lock that is marked as free before it is deleted, and that another may take over then."""

from plainredis import Redis

redis = Redis()
isMine = redis("SET", "lock", "held", "NX", "PX", 10000)
if not isMine and redis("GET", "lock") == b"free":
    isMine = redis("SET", "lock", "held", "PX", 10000)
if isMine:
    redis("ECHO", "latchkey:inside:lock")
    redis("ECHO", "latchkey:outside:lock")
    redis("SET", "lock", "free", "KEEPTTL")
    redis("DEL", "lock")
