"""Says goodbye by QUIT, and waits until the server has closed the connection, as ioredis does."""

from plainredis import Redis

redis = Redis()
redis("INCR", "visits")
redis("QUIT")
while redis.socket.recv(100):
    pass
Redis()("INCR", "goodbyes")
