"""Reads the key and writes to it in the way that the argument names; every client writes the same."""

import os
import sys

from plainredis import Redis

redis = Redis()
key = "order:1"
scratch = "scratch:" + os.urandom(16).hex()


def script(body, *arguments):
    return lambda: redis("EVAL", body, 1, key, *arguments)


def restored():
    redis("SET", scratch, 1)
    dump = redis("DUMP", scratch)
    redis("DEL", scratch)
    redis("RESTORE", key, 0, dump, "REPLACE")


def moved(*command):
    redis("SET", scratch, 1, "PX", 60000)
    redis(*command)


def queued(*command):
    redis("MULTI")
    redis(*command)
    redis("EXEC")


def drained(take):
    redis("INCRBY", key, 3)
    take()


def takenWith(body):
    return lambda: drained(script("local old = redis.call('get', KEYS[1]) " + body + " return old"))


def drainedTwice():
    drained(lambda: redis("GETSET", key, 0))
    redis("GETSET", key, 0)


def increased(*command):
    return lambda: redis(*[int(read or 0) + 1 if word is None else word for word in command])


def checked():
    redis("WATCH", key)
    redis("GET", key)
    queued("SET", key, 1)


ways = {
    "set": lambda: redis("SET", key, 1),
    "transaction": lambda: queued("SET", key, 1),
    "script": script("return redis.call('set', KEYS[1], ARGV[1])", 1),
    "computed": script("return redis.call('set', KEYS[1], ARGV[1] + 1)", 0),
    "scripthash": script("return redis.call('hset', KEYS[1], 'stock', ARGV[1] + 1)", 0),
    "scriptdelete": script("redis.call('del', KEYS[1]) return redis.call('rpush', KEYS[1], 'a')"),
    "scriptrange": script("return redis.call('setrange', KEYS[1], 0, ARGV[1])", 1),
    "hiddenkey": lambda: redis("EVAL", "return redis.call('set', 'order:1', 1)", 0),
    "setrange": lambda: redis("SETRANGE", key, 0, 1),
    "setbit": lambda: redis("SETBIT", key, 3, 1),
    "bitfield": lambda: redis("BITFIELD", key, "SET", "u8", 0, 1),
    "getset": increased("GETSET", key, None),
    "getsetafterexists": lambda: (redis("EXISTS", key), increased("GETSET", key, None)()),
    "setget": increased("SET", key, None, "GET"),
    "getsetscript": increased("EVAL", "local old = redis.call('get', KEYS[1]) redis.call('set', KEYS[1], ARGV[1]) "
                              "return old", 1, key, None),
    "rename": lambda: moved("RENAME", scratch, key),
    "copy": lambda: moved("COPY", scratch, key, "REPLACE"),
    "restore": restored,
    "increment": script("return redis.call('set', KEYS[1], (redis.call('get', KEYS[1]) or 0) + 1)"),
    "compare": script("if (redis.call('get', KEYS[1]) or '') ~= ARGV[1] then return 0 end "
                      "return redis.call('set', KEYS[1], ARGV[2])", "", 1),
    "most": script("local old = tonumber(redis.call('get', KEYS[1]) or 0) "
                   "return redis.call('set', KEYS[1], math.max(old, ARGV[1]))", 1),
    "bitincrement": lambda: redis("BITFIELD", key, "INCRBY", "u8", 0, 1),
    "setnx": lambda: redis("SETNX", key, 1),
    "append": lambda: redis("APPEND", key, 1),
    "member": lambda: redis("SADD", key, "a"),
    "watch": checked,
    "drain": lambda: drained(lambda: redis("GETDEL", key)),
    "draintransaction": lambda: drained(lambda: queued("GETDEL", key)),
    "drainscript": lambda: drained(script("local old = redis.call('get', KEYS[1]) redis.call('del', KEYS[1]) "
                                          "return old")),
    "exchange": lambda: redis("GETSET", key, 1),
    "drainset": lambda: drained(lambda: redis("GETSET", key, 0)),
    "drainsettransaction": lambda: drained(lambda: queued("GETSET", key, 0)),
    "drainsetscript": takenWith("redis.call('set', KEYS[1], 0)"),
    "drainsettwice": drainedTwice,
    "resetunseen": lambda: drained(script("return redis.call('set', KEYS[1], 0)")),
    "delete": lambda: drained(lambda: redis("DEL", key)),
    "deletescript": lambda: drained(script("return redis.call('del', KEYS[1])")),
}
how = sys.argv[1]
if how == "scripthash":
    redis("HGET", key, "stock")
elif how == "scriptdelete":
    redis("LRANGE", key, 0, -1)
elif how == "member":
    redis("SMEMBERS", key)
else:
    read = redis("GET", key)
ways[how]()
