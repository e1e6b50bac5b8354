"""redis-py's own lock. Three tries."""

import os

import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])
lock = client.lock("lock", timeout=10, blocking=False)
for _ in range(3):
    if lock.acquire():
        client.echo("latchkey:inside:lock")
        client.echo("latchkey:outside:lock")
        lock.release()
        break
