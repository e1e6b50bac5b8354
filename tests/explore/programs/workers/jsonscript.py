"""A lock whose value is a document, which the script of the release reads."""

import json
import uuid

from plainredis import Redis

RELEASE = """
local held = redis.call('GET', KEYS[1])
if held and cjson.decode(held).owner == ARGV[1] then
    return redis.call('DEL', KEYS[1])
end
return 0
"""

redis = Redis()
owner = str(uuid.uuid4())
if redis("SET", "lock", json.dumps({"owner": owner, "job": "report"}), "NX", "PX", 10000):
    redis("ECHO", "latchkey:inside:lock")
    redis("ECHO", "latchkey:outside:lock")
    redis("EVAL", RELEASE, 1, "lock", owner)
