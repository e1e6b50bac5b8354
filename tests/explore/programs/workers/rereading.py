"""An update that looks at the key a second time before it writes. The argument is how: "exists", "type", "length": at a
property of it; "ignored": at the value, which is not used; "fresh": the second value counts; "both": both values count;
"twice": both looks are at a property; "absent": the client only writes if the second look shows no value."""

import sys

from plainredis import Redis

redis = Redis()
how = sys.argv[1]
looks = {"exists": "EXISTS", "twice": "EXISTS", "absent": "EXISTS", "type": "TYPE", "length": "STRLEN"}
first = redis("EXISTS" if how == "twice" else "GET", "order:1")
while True:
    redis("WATCH", "order:1")
    second = redis(looks.get(how, "GET"), "order:1")
    if second == b"closed" or (how == "absent" and second):
        break
    count = 1 if how == "twice" else int(first or 0) + 1
    if how == "fresh":
        count = int(second or 0) + 1
    elif how == "both":
        count = 2 * int(second or 0) - int(first or 0) + 1
    redis("MULTI")
    redis("SET", "order:1", count)
    if redis("EXEC") is not None:
        break
