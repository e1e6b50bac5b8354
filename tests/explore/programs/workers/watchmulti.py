"""An update that is carried out only if no other client was faster."""

from plainredis import Redis

redis = Redis()
while True:
    redis("WATCH", "order:1")
    count = int(redis("GET", "order:1") or 0)
    redis("MULTI")
    redis("SET", "order:1", count + 1)
    if redis("EXEC") is not None:
        break
