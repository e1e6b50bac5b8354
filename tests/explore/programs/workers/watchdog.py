"""A lock whose lease a thread extends every second."""

import threading

from plainredis import Redis

redis = Redis()
if redis("SET", "lock", "held", "NX", "PX", 3000):
    done = threading.Event()
    ends = []

    def extend():
        other = Redis()
        while not done.wait(1):
            other("PEXPIRE", "lock", 3000)

    thread = threading.Thread(target=extend)
    thread.start()
    redis("ECHO", "latchkey:inside:lock")
    redis("ECHO", "latchkey:outside:lock")
    done.set()
    thread.join()
    redis("DEL", "lock")
