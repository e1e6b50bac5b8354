"""redis-py's own Lock, for tst_interoperation to take turns with.

redispylock.py acquire KEY LEASE_MS SOCKET   prints the token, or busy
redispylock.py release KEY TOKEN SOCKET      prints released, or not-owner
redispylock.py compete KEY ROUNDS SOCKET     enters and leaves so often; prints how often it was not alone inside
redispylock.py bench KEY ROUNDS SOCKET       acquires and releases so often; prints the seconds that it took
"""

import sys
import time

import redis
from redis.exceptions import LockNotOwnedError

WITNESS = "inside"


def lock_on(client, key, lease_ms):
    return client.lock(key, timeout=lease_ms / 1000, sleep=0.001, thread_local=False)


def acquire(client, key, lease_ms):
    lock = lock_on(client, key, int(lease_ms))
    return lock.local.token.decode() if lock.acquire(blocking=False) else "busy"


def release(client, key, token):
    lock = lock_on(client, key, 1)
    lock.local.token = token.encode()
    try:
        lock.release()
    except LockNotOwnedError:
        return "not-owner"
    return "released"


def compete(client, key, rounds):
    overlaps = 0
    for _ in range(int(rounds)):
        with lock_on(client, key, 60_000):
            overlaps += client.incr(WITNESS) != 1
            for _ in range(5):
                client.ping()
            client.decr(WITNESS)
    return overlaps


def bench(client, key, rounds):
    lock = lock_on(client, key, 30_000)
    start = time.perf_counter()
    for _ in range(int(rounds)):
        if not lock.acquire(blocking=False):
            sys.exit("the lock was busy")
        lock.release()
    return f"{time.perf_counter() - start:.6f}"


if __name__ == "__main__":
    verb, key, argument, socket = sys.argv[1:5]
    verbs = {"acquire": acquire, "release": release, "compete": compete, "bench": bench}
    print(verbs[verb](redis.Redis(unix_socket_path=socket), key, argument))
