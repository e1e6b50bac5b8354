"""Leaves processes behind: one in its group, one in a session of its own. argv[1]: a file for their numbers."""

import os
import sys
import time

from plainredis import Redis

for leaves in (False, True):
    child = os.fork()
    if child == 0:
        if leaves:
            os.setsid()
        with open(sys.argv[1], "a") as numbers:
            numbers.write("%d\n" % os.getpid())
        time.sleep(3600)
        os._exit(0)
redis = Redis()
redis("SET", "k", 1, "EX", 5)
redis("SET", "k", 2, "EX", 5)
