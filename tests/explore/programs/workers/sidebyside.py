"""Two threads that ask for keys with long names at the same moment. What each does next depends on its key."""

import threading

from plainredis import Redis


def copy(name):
    redis = Redis()
    redis("GET", name)
    redis("SET", "copy:of:" + name, 1, "PX", 10000)


threads = [threading.Thread(target=copy, args=(name,)) for name in ("customers", "inventory")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
