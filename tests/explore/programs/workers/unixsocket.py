"""redis-py's own lock over the Unix socket, and nothing else. Three tries."""

import os

import redis

client = redis.Redis(unix_socket_path=os.environ["REDIS_SOCKET"])
lock = client.lock("lock", timeout=10, blocking=False)
for _ in range(3):
    if lock.acquire():
        client.echo("latchkey:inside:lock")
        client.echo("latchkey:outside:lock")
        lock.release()
        break
