"""A lock that a client holds on a majority of the servers (Redlock). The arguments name mistakes, and a resource.

one-vote: one server is enough. errors-are-votes: an error counts as a vote. blind-release: the last server is not asked
for the token before its key is deleted. immortal: the second server is given no lifetime. takeover: the key of the last
server lives longer, and a client that has the others replaces the key that was there before. resource: the client adds
one to the key stock of the last server.
"""

import os
import sys

from plainredis import ReplyError, servers

REPLACE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('set', KEYS[1], ARGV[2], 'PX', 20000) end"
RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"

mistakes = sys.argv[1:]
all_servers = servers()
token = os.urandom(16).hex()


def vote(number, server):
    conditions = ["NX", "PX", 20000 if "takeover" in mistakes and number == 2 else 10000]
    if "immortal" in mistakes and number == 1:
        conditions = ["NX"]
    try:
        if former is not None and votes == 2:
            return server("EVAL", REPLACE, 1, "lock", former, token) is not None
        return server("SET", "lock", token, *conditions) is not None
    except (ConnectionError, ReplyError):
        server.connect()
        return "errors-are-votes" in mistakes


def release(server):
    try:
        if "blind-release" in mistakes and server is all_servers[-1]:
            server("DEL", "lock")
        else:
            server("EVAL", RELEASE, 1, "lock", token)
    except (ConnectionError, ReplyError):
        server.connect()


# The former holder has set the other keys before this one, so a client that can set them knows that they have ended.
former = all_servers[-1]("GET", "lock") if "takeover" in mistakes else None
votes = 0
for number, server in enumerate(all_servers):
    votes += vote(number, server)
if votes >= (1 if "one-vote" in mistakes else len(all_servers) // 2 + 1):
    all_servers[0]("ECHO", "latchkey:inside:lock")
    if "resource" in mistakes:
        stock = int(all_servers[-1]("GET", "stock") or 0)
        all_servers[-1]("SET", "stock", stock + 1)
    all_servers[0]("ECHO", "latchkey:outside:lock")
for server in all_servers:
    release(server)
