"""Sends every command that waits in the server, where there is nothing, and stops where the answer is not that."""

import sys

from plainredis import Redis, ReplyError

redis = Redis()
redis("XADD", "stream", "1-1", "f", "v")
redis("XGROUP", "CREATE", "stream", "readers", "$")
for words in (
    "BLPOP none 0.5",
    "BRPOP none another 0.5",
    "BLMOVE none to LEFT RIGHT 0.5",
    "BRPOPLPUSH none to 0.5",
    "BLMPOP 0.5 1 none LEFT",
    "BZPOPMIN none 0.5",
    "BZPOPMAX none 0.5",
    "BZMPOP 0.5 1 none MIN",
    "XREAD COUNT 1 BLOCK 500 STREAMS stream 1-1",
    "XREADGROUP GROUP readers me BLOCK 500 STREAMS stream >",
):
    if redis(*words.split()) is not None:
        sys.exit(words)
if redis("WAIT", 2, 500) != 0:  # The server has one replica.
    sys.exit("WAIT")
try:
    if redis("WAITAOF", 0, 1, 500) != [0, 0]:
        sys.exit("WAITAOF")
except ReplyError as error:
    if "unknown command" not in str(error):  # Redis 7.2
        raise
redis("MULTI")
redis("BLPOP", "none", 0)
if redis("EXEC") != [None]:
    sys.exit("EXEC")
redis("RPUSH", "some", 1, 2)
if redis("BLPOP", "none", "some", 0) != [b"some", b"1"] or redis("BLMOVE", "some", "to", "LEFT", "LEFT", 0) != b"2":
    sys.exit("what is there")
redis("SET", "done", 1)
