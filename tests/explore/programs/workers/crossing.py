"""Takes two tokens from two lists, in an order that depends on who comes first: two clients can wait for each other."""

from plainredis import Redis

redis = Redis()
number = redis("INCR", "clients")
if number == 1:
    redis("RPUSH", "left", "token")
    redis("RPUSH", "right", "token")
order = ("left", "right") if number % 2 else ("right", "left")
for name in order:
    redis("BLPOP", name, 0)
for name in order:
    redis("RPUSH", name, "token")
