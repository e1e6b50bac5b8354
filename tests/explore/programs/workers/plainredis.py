"""Redis over a plain socket: what the workers beside this file need of it, without a package.

An exploration starts hundreds of workers, so this file imports little: the modules socket and uuid take as long as
Python itself.
"""

import _socket
import os


class ReplyError(Exception):
    pass


def connection(host, port):
    if host != "127.0.0.1":
        import socket

        return socket.create_connection((host, port))
    plain = _socket.socket()
    plain.connect((host, port))
    return plain


class Redis:
    def __init__(self, host=None, port=None):
        self.address = host or os.environ["REDIS_HOST"], int(port or os.environ["REDIS_PORT"])
        self.connect()
        if os.environ.get("LATCHKEY_TEST_RESP") == "3" and self("HELLO", 3)["proto"] != 3:
            raise ReplyError("no RESP3")

    def connect(self):
        self.socket = connection(*self.address)
        self.received = b""

    def __call__(self, *words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        parts = [b"*%d\r\n" % len(words)] + [b"$%d\r\n%s\r\n" % (len(word), word) for word in words]
        self.socket.sendall(b"".join(parts))
        return self.read()

    def close(self):
        self.socket.close()

    def receive(self):
        more = self.socket.recv(8192)
        if not more:
            raise ConnectionError
        self.received += more

    def take(self, count):
        while len(self.received) < count:
            self.receive()
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def read(self):
        while b"\n" not in self.received:
            self.receive()
        line = self.take(self.received.index(b"\n") + 1)
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return None if int(rest) < 0 else self.take(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if int(rest) < 0 else [self.read() for _ in range(int(rest))]
        if kind == b":":
            return int(rest)
        if kind == b"-":
            raise ReplyError(rest.decode())
        return self.read3(kind, rest)

    def read3(self, kind, rest):
        """The types of RESP3, as a client library shows them."""
        if kind == b"_":
            return None
        if kind == b"%":
            return {self.name(): self.read() for _ in range(int(rest))}
        if kind in b"~>":
            return [self.read() for _ in range(int(rest))]
        if kind == b"=":
            return self.take(int(rest) + 2)[4:-2]
        return rest

    def name(self):
        name = self.read()
        return name.decode() if isinstance(name, bytes) else name


def servers():
    """A connection to each server, in the order of REDIS_HOSTS."""
    return [Redis(*address.split(":")) for address in os.environ["REDIS_HOSTS"].split(",")]
