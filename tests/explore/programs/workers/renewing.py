"""A lock that a client renews before it leaves, in the way that the argument names. The lock ends with its lease."""

import os
import sys

from plainredis import Redis

redis = Redis()
token = os.urandom(16).hex()
SCRIPT = "return redis.call('pexpire', KEYS[1], 10000)"
OWNER = "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
renewals = {
    "pexpire": [("PEXPIRE", "lock", 10000)],
    "expire": [("EXPIRE", "lock", 10)],
    "existing": [("PEXPIRE", "lock", 10000, "XX")],
    "getex": [("GETEX", "lock", "PX", 10000)],
    "script": [("EVAL", SCRIPT, 1, "lock")],
    "hiddenkey": [("EVAL", "return redis.call('pexpire', 'lock', 10000)", 0)],
    "transaction": [("MULTI",), ("PEXPIRE", "lock", 10000), ("EXEC",)],
    "constant": [("SET", "lock", "held", "XX", "PX", 10000)],
    "keepttl": [("SET", "lock", "held", "XX", "KEEPTTL")],
    "owner": [("EVAL", OWNER + SCRIPT, 1, "lock", token)],
    "greater": [("PEXPIRE", "lock", 10000, "GT")],
    "unset": [("PEXPIRE", "lock", 10000, "NX")],
    "look": [("PTTL", "lock")],
}
how = sys.argv[1]
if how in ("constant", "keepttl"):
    token = "held"
if redis("SET", "lock", token, "NX", "PX", 10000):
    redis("ECHO", "latchkey:inside:lock")
    for command in renewals[how]:
        redis(*command)
    redis("ECHO", "latchkey:outside:lock")
