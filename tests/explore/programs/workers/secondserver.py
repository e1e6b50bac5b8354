"""A lock on the first server, and a wait for its release on the second one.

list: the loser waits for an element, which the winner pushes. messages: the loser subscribes, and the winner publishes.
elsewhere: the winner pushes on the first server, where no client waits.
"""

import sys

from plainredis import servers

how = sys.argv[1]
first, second = servers()
if first("SET", "lock", "held", "NX", "PX", 10000):
    if how == "messages":
        second("PUBLISH", "freed", "lock")
    else:
        (first if how == "elsewhere" else second)("LPUSH", "freed", "lock")
elif how == "messages":
    second("SUBSCRIBE", "freed")
    second.read()
    first("INCR", "heard")
else:
    second("BLPOP", "freed", 0)
