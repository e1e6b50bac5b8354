"""Does something before it connects. argv[1]: what, of the functions below. Then a lock with a token."""

import mmap
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

kept = []


def nothing():
    pass


def thread():
    kept.append(threading.Thread(target=threading.Event().wait, daemon=True))
    kept[0].start()


def child():
    if os.fork() == 0:
        signal.pause()


def pipe():
    kept.append(os.pipe())


def shared():
    kept.append(mmap.mmap(-1, 4096))


def written():
    kept.append(tempfile.TemporaryFile())


def alarm():
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.alarm(3600)


def file():
    kept.append(open(__file__, "rb"))
    kept[0].readline()


def output():
    print("starting", flush=True)


def ended():
    subprocess.run(["true"])


def waited():
    time.sleep(1)


def identity():
    kept.append(os.readlink("/proc/self"))


globals()[sys.argv[1]]()
value = "%d-%d" % (os.getpid(), random.getrandbits(60))
token = uuid.uuid4().hex

from plainredis import Redis  # noqa: E402

redis = Redis()
if sys.argv[1] == "identity" and kept[0] != os.readlink("/proc/self"):
    redis("SET", "forked", 1, "EX", 60)
if redis("SET", "lock", token, "NX", "PX", 10000):
    redis("ECHO", "latchkey:inside:lock")
    redis("SET", "value", value, "EX", 60)
    redis("SET", "start", len(kept[0].readline()) if sys.argv[1] == "file" else 0, "EX", 60)
    redis("ECHO", "latchkey:outside:lock")
    if redis("GET", "lock") == token:
        redis("DEL", "lock")
