"""Whoever comes first subscribes and at once unsubscribes, and tells how much it has heard in between; the other one talks."""

from plainredis import Redis

redis = Redis()
if redis("SETNX", "first", 1):
    ear = Redis()
    ear("SUBSCRIBE", "talk")
    heard = 0
    answer = ear("UNSUBSCRIBE", "talk")
    while answer[0] == b"message":
        heard += 1
        answer = ear.read()
    redis("SET", "heard", heard, "PX", 10000)
else:
    redis("PUBLISH", "talk", "one")
    redis("PUBLISH", "talk", "two")
