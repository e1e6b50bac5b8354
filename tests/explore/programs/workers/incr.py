"""An update in one command, after a look that it does not go by."""

from plainredis import Redis

redis = Redis()
redis("GET", "order:1")
redis("INCR", "order:1")
