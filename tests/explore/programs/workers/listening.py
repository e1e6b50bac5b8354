"""Two connections: the one waits for a word for ten seconds, the other sleeps for six of these and for six more."""

import threading
import time

from plainredis import Redis

first = Redis()
second = Redis()


def wait():
    if not first("BLPOP", "words", 10):
        first("SET", "unheard", 1)


waiting = threading.Thread(target=wait)
waiting.start()
for n in (1, 2):
    time.sleep(6)
    second("SET", "slept", n, "PX", 100000)
waiting.join()
