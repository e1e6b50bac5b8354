"""Checks the expiry of keys in a pytest suite, by `latchkey-cli expect --json`.

Copy this file into your tests, keep `expect`, and replace login, renew and the tests by your own. LATCHKEY_URL names the
server, LATCHKEY_CLI the program if it is not in PATH. See resources/manual/ci.md.
"""

import json
import os
import subprocess
import threading

import pytest
import redis

URL = os.environ.get("LATCHKEY_URL", "redis://127.0.0.1:6379")
CLI = os.environ.get("LATCHKEY_CLI", "latchkey-cli")


def expect(*expectations, watch=None):
    """Watches the keys and fails the test unless every expectation holds.

    Times start at the first look, so write the key first. watch: how long to watch, such as "5s"; by default until the
    verdict on every named key is known.
    """
    command = [CLI, "--url", URL, "expect", "--json", *expectations]
    if watch is not None:
        command += ["--for", watch]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return
    if not run.stdout:  # Wrong usage, or no server.
        pytest.fail(run.stderr.strip(), pytrace=False)
    reasons = []
    for expectation in json.loads(run.stdout)["expectations"]:
        if expectation["outcome"] == "holds":
            continue
        judged = [f'{key["key"]}: {key["outcome"]}, {key["text"]}' for key in expectation["keys"]]
        reasons.append(f'"{expectation["expectation"]}": ' + ("; ".join(judged) or "no key was seen"))
    reasons.append(run.stderr.strip())  # What was not seen.
    pytest.fail("\n".join(filter(None, reasons)), pytrace=False)


@pytest.fixture
def server():
    with redis.Redis.from_url(URL) as client:
        yield client
        client.delete("session:7", "lock:report")


def login(server):
    """Stands for the program under test: a session ends after three seconds."""
    server.set("session:7", "ann", px=3000)


def renew(server, stopped):
    """Stands for the program under test: a holder renews its lock."""
    server.set("lock:report", "6f0c1d2e-3b4a-4c5d-8e6f-000000000001", px=1000)
    while not stopped.wait(0.3):
        server.pexpire("lock:report", 1000)


def test_session_ends(server):
    login(server)
    expect("session:7 gone between 1s and 4s")


def test_no_session_stays_for_ever(server):
    login(server)
    expect("session:* never without expiry", watch="500ms")


def test_held_lock_is_renewed(server):
    stopped = threading.Event()
    holder = threading.Thread(target=renew, args=(server, stopped))
    holder.start()
    try:
        expect("lock:report renewed at least every 900ms", watch="2s")
    finally:
        stopped.set()
        holder.join()
