"""A lock of redis-py, held until standard input ends, for tst_libraries to recognise.

redispyholder.py SOCKET    prints the key and its token once it is held
"""

import sys

import redis

client = redis.Redis(unix_socket_path=sys.argv[1])
lock = client.lock("lock:nightly", timeout=60)
if not lock.acquire(blocking=False):
    sys.exit("busy")
print("lock:nightly", lock.local.token.decode(), flush=True)
sys.stdin.read()
