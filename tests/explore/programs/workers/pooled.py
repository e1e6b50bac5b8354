"""A lock that a thread extends, in the moment in which the main thread works. Both take connections from one pool."""

import threading
import time

from plainredis import Redis

pool = []


def ask(*words):
    redis = pool.pop() if pool else Redis()
    reply = redis(*words)
    pool.append(redis)
    return reply


if ask("SET", "lock", "held", "NX", "PX", 6000):
    done = threading.Event()

    def extend():
        while not done.wait(2):
            ask("PEXPIRE", "lock", 6000)

    thread = threading.Thread(target=extend)
    thread.start()
    ask("ECHO", "latchkey:inside:lock")
    time.sleep(2)
    ask("INCR", "total")
    ask("ECHO", "latchkey:outside:lock")
    done.set()
    thread.join()
    ask("DEL", "lock")
