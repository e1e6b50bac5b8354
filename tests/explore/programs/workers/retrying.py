"""Sends a command again whose reply is lost, as many libraries do: an increment then counts twice, and its lifetime is
never set."""

from plainredis import Redis


def insist(*words):
    while True:
        try:
            return Redis()(*words)
        except ConnectionError:
            pass


if insist("INCR", "hits") == 1:
    insist("EXPIRE", "hits", 60)
