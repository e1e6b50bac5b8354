"""A lock around a command that the worker starts, with a time limit for the command."""

import subprocess

from plainredis import Redis
from uuid import uuid4

redis = Redis()
token = uuid4().hex
if redis("SET", "lock", token, "NX", "PX", 10000):
    redis("ECHO", "latchkey:inside:lock")
    built = subprocess.run(["sh", "-c", "sleep 1; echo built"], capture_output=True, timeout=5).stdout
    redis("SET", "artifact", built.strip(), "EX", 60)
    redis("ECHO", "latchkey:outside:lock")
    redis(
        "EVAL",
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0",
        1,
        "lock",
        token,
    )
