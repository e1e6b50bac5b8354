"""It fails by itself."""

from plainredis import Redis

redis = Redis()
redis("SET", "lock", "held", "NX", "PX", 10000)
raise SystemExit("it cannot be done")
