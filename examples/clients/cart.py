#!/usr/bin/env python3
"""A client in Python, with its standard library alone. README.md explains each step."""

import json
import os
import sys
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("CAIRN_URL", "http://127.0.0.1:7878")
HEADERS = {"Content-Type": "application/json"}
if "CAIRN_TOKEN" in os.environ:
    HEADERS["Authorization"] = "Bearer " + os.environ["CAIRN_TOKEN"]


def ask(path, body=None, accept="application/json"):
    """POSTs a body, or GETs where there is none. A conflict is an answer too; other refusals end the program."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, {**HEADERS, "Accept": accept})
    try:
        return urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as refusal:
        if refusal.status != 409:
            sys.exit(f"{refusal.status}: {json.load(refusal)['detail']}")
        return refusal


def append(stream, expected_version, event):
    answer = ask(f"/streams/{stream}/events", {"expectedVersion": expected_version, "events": [event]})
    return answer.status, json.load(answer)


def item_added(item, cents):
    return {"id": str(uuid.uuid4()), "type": "ItemAdded", "data": {"item": item, "cents": cents}}


cart, apple, pear = f"cart-{uuid.uuid4()}", item_added("apple", 40), item_added("pear", 55)

# 1. An append to a stream that must not be there yet.
status, first = append(cart, 0, apple)
print(f"apple: {status}, version {first['lastVersion']}")

# 2. One that does not know of the first is refused, and told where the stream is.
status, conflict = append(cart, 0, pear)
print(f"pear: {status}, {conflict['type']}, the cart is at {conflict['currentVersion']}")

# 3. The first once more, as if its answer had been lost: the same id, so nothing is added.
status, again = append(cart, 0, apple)
print(f"apple again: {status}, version {again['lastVersion']}")

# 4. Follow the stream, from its first event on and beyond its last.
following = ask(f"/streams/{cart}/events", accept="text/event-stream")

# 5. The pear again, now that it is known where the stream is.
status, second = append(cart, conflict["currentVersion"], pear)
print(f"pear: {status}, version {second['lastVersion']}")

# 6. Read back.
page = json.load(ask(f"/streams/{cart}/events"))
print("read:", ", ".join(event["data"]["item"] for event in page["events"]))

# 7. The row of the read model, once it has what was just written.
answer = json.load(ask(f"/projections/carts/rows/{cart}?minPosition={second['lastPosition']}&waitMs=30000"))
print(f"row: {answer['row']['items']} items, {answer['row']['cents']} cents")

# 8. What has come to the follower meanwhile.
for line in following:
    if line.startswith(b"data: "):
        event = json.loads(line[len("data: "):])
        print(f"followed: {event['version']} {event['data']['item']}")
        if event["version"] == 2:
            break
