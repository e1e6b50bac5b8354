"""Does one thing or another, by chance."""

import os

from plainredis import Redis

redis = Redis()
redis("GET", "k")
redis("SET", "k", os.urandom(3).hex())
