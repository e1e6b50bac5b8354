"""An update under redis-py's own lock, which is waited for."""

import os

import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])
with client.lock("lock", timeout=10, sleep=1):
    client.echo("latchkey:inside:lock")
    count = int(client.get("order:1") or 0)
    client.set("order:1", count + 1)
    client.echo("latchkey:outside:lock")
