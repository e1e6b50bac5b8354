"""Two connections, of which the second one takes the lock while the first one waits for an answer."""

import threading

from plainredis import Redis

first = Redis()
second = Redis()
watch = threading.Thread(target=lambda: [first("GET", "heartbeat") for _ in range(1)])
second("PING")
watch.start()
if second("SET", "lock", "held", "NX", "PX", 10000):
    second("ECHO", "latchkey:inside:lock")
    second("ECHO", "latchkey:outside:lock")
    second("DEL", "lock")
watch.join()
