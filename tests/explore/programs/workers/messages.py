"""Is told messages in every way that there is, and stops where one is not as expected."""

import sys

from plainredis import Redis

redis = Redis()
ear = Redis()


def expect(what, expected):
    if what != expected:
        sys.exit(f"{what}, and not {expected}")


expect(redis("PUBLISH", "news", "unheard"), 0)
expect(ear("SUBSCRIBE", "news", "weather"), [b"subscribe", b"news", 1])
expect(ear.read(), [b"subscribe", b"weather", 2])
expect(ear("PSUBSCRIBE", "n*"), [b"psubscribe", b"n*", 3])
expect(ear("PING"), [b"pong", b""])
expect(redis("PUBLISH", "news", b"\xff\r\n"), 2)
expect(ear.read(), [b"message", b"news", b"\xff\r\n"])
expect(ear.read(), [b"pmessage", b"n*", b"news", b"\xff\r\n"])
redis("MULTI")
redis("PUBLISH", "weather", "rain")
redis("PUBLISH", "nothing", "at all")
expect(redis("EXEC"), [1, 1])
expect(redis("EVAL", "return redis.call('publish', 'weather', 'sun')", 0), 1)
expect(ear.read(), [b"message", b"weather", b"rain"])
expect(ear.read(), [b"pmessage", b"n*", b"nothing", b"at all"])
expect(ear.read(), [b"message", b"weather", b"sun"])
expect(ear("UNSUBSCRIBE", "weather"), [b"unsubscribe", b"weather", 2])
expect(redis("PUBLISH", "weather", "snow"), 0)
expect(ear("PUNSUBSCRIBE"), [b"punsubscribe", b"n*", 1])
expect(ear("UNSUBSCRIBE"), [b"unsubscribe", b"news", 0])
expect(ear("PING"), b"PONG")
expect(ear("ECHO", "as any other"), b"as any other")
redis("SET", "done", 1)
