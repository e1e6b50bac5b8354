"""A client that waits without end for a message that is never sent."""

from plainredis import Redis

redis = Redis()
redis("SET", "lock", "held", "PX", 10000)
redis("BLPOP", "messages", 0)
redis("DEL", "lock")
