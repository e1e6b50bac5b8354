"""Sends what it sees of itself: its addresses, descriptors, parent and a child's view. For a comparison of processes."""

import os
import subprocess
import sys

from plainredis import Redis

redis = Redis()
peer = redis.socket.getpeername()
redis("SET", "peer", str(peer[1] == int(os.environ["REDIS_PORT"])), "EX", 60)
descriptors = sorted(int(name) for name in os.listdir("/proc/self/fd"))
redis("SET", "descriptors", str(len([number for number in descriptors if number < 6])), "EX", 60)
redis("SET", "group", str(os.getpgrp() == int(os.readlink("/proc/self"))), "EX", 60)
redis("SET", "same", str(os.getpid() == os.getpid() and os.getppid() != os.getpid()), "EX", 60)
redis("SET", "output", str(os.fstat(1).st_ino == os.fstat(2).st_ino), "EX", 60)
child = os.fork()
if child == 0:
    os._exit(7)
redis("SET", "child", str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])), "EX", 60)
# A child that inherits nothing but the environment.
code = "import os, time; print(int(time.time()) // 31536000, os.getppid() >= 10**9)"
seen = subprocess.run([sys.executable, "-S", "-B", "-c", code], capture_output=True, text=True).stdout
redis("SET", "seen", seen.strip(), "EX", 60)
inherits = subprocess.run([sys.executable, "-S", "-B", "-c", code], close_fds=False, capture_output=True, text=True)
redis("SET", "inherits", inherits.stdout.strip(), "EX", 60)
os.kill(os.getpid(), 0)
