"""A lock without a lease. Who does not get it subscribes to its channel and looks again when it is told that it is free;
argv[1]: "careful": and looks once more after it has subscribed, as it may have been freed in between."""

import sys

from plainredis import Redis

redis = Redis()
careful = "careful" in sys.argv


def acquire():
    return redis("SET", "lock", "held", "NX")


if not acquire():
    ear = Redis()
    ear("SUBSCRIBE", "freed")
    while not (careful and acquire()):
        careful = False
        if ear.read()[0] == b"message" and acquire():
            break
    ear.close()
redis("ECHO", "latchkey:inside:lock")
redis("ECHO", "latchkey:outside:lock")
redis("DEL", "lock")
redis("PUBLISH", "freed", "yes")
redis("INCR", "served")
