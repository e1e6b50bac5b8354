"""Two connections, of which the first one asks without end while the second one takes the lock."""

import _thread

from plainredis import Redis

first = Redis()
second = Redis()


def ask():
    while True:
        first("GET", "heartbeat")


_thread.start_new_thread(ask, ())
if second("SET", "lock", "held", "NX", "PX", 10000):
    second("ECHO", "latchkey:inside:lock")
    second("ECHO", "latchkey:outside:lock")
    second("DEL", "lock")
