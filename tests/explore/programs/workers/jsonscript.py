"""A lock whose value is a document, which the script of the release reads. The argument names a time in it, if any."""

import datetime
import json
import sys
import time
import uuid

from plainredis import Redis

RELEASE = """
local held = redis.call('GET', KEYS[1])
if held and cjson.decode(held).owner == ARGV[1] then
    return redis.call('DEL', KEYS[1])
end
return 0
"""

times = {
    "job": lambda: "report",
    "seconds": time.time,
    "whole": lambda: int(time.time()),
    "since": time.monotonic,
    "date": lambda: datetime.datetime.now().isoformat(),
    "zone": lambda: datetime.datetime.now().isoformat() + "Z",
}
what = sys.argv[1] if len(sys.argv) > 1 else "job"
redis = Redis()
owner = str(uuid.uuid4())
if redis("SET", "lock", json.dumps({"owner": owner, what: times[what]()}), "NX", "PX", 10000):
    redis("ECHO", "latchkey:inside:lock")
    redis("ECHO", "latchkey:outside:lock")
    redis("EVAL", RELEASE, 1, "lock", owner)
