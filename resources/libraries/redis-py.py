"""redis-py's Lock."""

import os

import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])
lock = client.lock("lock:order:1", timeout=10, sleep=0.2, blocking_timeout=0.4)
if lock.acquire():
    client.echo("latchkey:inside:order")
    stock = int(client.get("order:1") or 0)
    client.set("order:1", stock + 1)
    client.echo("latchkey:outside:order")
    try:
        lock.release()
    except redis.exceptions.LockError as error:
        print(error)
