"""Redis over a plain socket: what the workers beside this file need of it, without a package."""

import os
import socket


class ReplyError(Exception):
    pass


class Redis:
    def __init__(self):
        self.socket = socket.create_connection((os.environ["REDIS_HOST"], int(os.environ["REDIS_PORT"])))
        self.replies = self.socket.makefile("rb")

    def __call__(self, *words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        parts = [b"*%d\r\n" % len(words)] + [b"$%d\r\n%s\r\n" % (len(word), word) for word in words]
        self.socket.sendall(b"".join(parts))
        return self.read()

    def read(self):
        line = self.replies.readline()
        if not line:
            raise ConnectionError
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return None if int(rest) < 0 else self.replies.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if int(rest) < 0 else [self.read() for _ in range(int(rest))]
        if kind == b":":
            return int(rest)
        if kind == b"-":
            raise ReplyError(rest.decode())
        return rest
