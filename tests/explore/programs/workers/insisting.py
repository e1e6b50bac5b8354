"""An update without any care, on the server that redis-py takes where it is told of none."""

import redis

client = redis.Redis()
count = int(client.get("order:1") or 0)
client.set("order:1", count + 1)
