"""An update without any care."""

from plainredis import Redis

redis = Redis()
count = int(redis("GET", "order:1") or 0)
redis("SET", "order:1", count + 1)
