"""A lock whose value is a document, which others read; who finds it held notes whose it was."""

import json
import uuid

from plainredis import Redis

redis = Redis()
token = json.dumps({"owner": str(uuid.uuid4())})
if redis("SET", "lock", token, "NX", "PX", 10000):
    redis("ECHO", "latchkey:inside:lock")
    redis("ECHO", "latchkey:outside:lock")
    redis("DEL", "lock")
else:
    found = redis("GET", "lock")
    if found and found != token.encode():
        redis("SET", "note", str(uuid.UUID(json.loads(found)["owner"])))
