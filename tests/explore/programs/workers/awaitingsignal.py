"""A lock that a client tries to acquire every half second, until a signal ends it."""

import signal
from uuid import uuid4

from plainredis import Redis

signals = [signal.SIGTERM]
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
redis = Redis()
token = uuid4().hex
while not redis("SET", "lock", token, "NX", "PX", 5000):
    if signal.sigtimedwait(signals, 0.5):
        raise SystemExit
redis("ECHO", "latchkey:inside:lock")
redis("ECHO", "latchkey:outside:lock")
redis(
    "EVAL",
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0",
    1,
    "lock",
    token,
)
