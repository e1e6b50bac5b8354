"""Everyday programs that use a lock or a shared key; the argument chooses one."""

import ctypes
import os
import signal
import struct
import subprocess
import sys
import threading
import time
import uuid

from plainredis import Redis, ReplyError

RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"

redis = Redis()
token = uuid.uuid4().hex


def acquire(value, *options):
    return redis("SET", "lock", value, "NX", *options)


def work(name="work"):
    redis("ECHO", "latchkey:inside:" + name)
    redis("ECHO", "latchkey:outside:" + name)


def enters_after_retries():
    for _ in range(5):
        if acquire(token, "PX", 10000):
            break
        time.sleep(1)
    work()
    redis("EVAL", RELEASE, 1, "lock", token)


def stops_after_retries():
    for _ in range(5):
        if acquire(token, "PX", 10000):
            work()
            redis("EVAL", RELEASE, 1, "lock", token)
            return
        time.sleep(1)


def tries_once():
    if acquire(token, "PX", 10000):
        work()
        redis("EVAL", RELEASE, 1, "lock", token)


def tries_once_without_expiry():
    if acquire(token):
        work()
        redis("DEL", "lock")


def waits_for_replica():
    if not acquire(token, "PX", 10000):
        return
    if redis("WAIT", 1, 1000) >= 1:
        work()
    redis("EVAL", RELEASE, 1, "lock", token)


def waits_for_two_replicas():
    if not acquire(token, "PX", 10000):
        return
    if redis("WAIT", 2, 1000) >= 2:
        work()
    redis("EVAL", RELEASE, 1, "lock", token)


def ignores_count_of_replicas():
    if acquire(token, "PX", 10000):
        redis("WAIT", 1, 1000)
        work()
        redis("EVAL", RELEASE, 1, "lock", token)


def acquires_again_after_the_lease():
    for _ in range(2):
        if not acquire(token, "PX", 10000):
            sys.exit(1)
        work()
        redis("DEL", "lock")
        time.sleep(11)


def reads_after_lost_reply():
    try:
        is_acquired = acquire(token, "PX", 10000)
    except ConnectionError:
        redis.connect()
        is_acquired = redis("GET", "lock") == token.encode()
    if is_acquired:
        work()


def enters_after_lost_reply():
    try:
        is_acquired = acquire(token, "PX", 10000)
    except ConnectionError:
        redis.connect()
        is_acquired = True
    if is_acquired:
        work()


def acquires_in_transaction():
    redis("WATCH", "lock")
    if redis("EXISTS", "lock") == 0:
        redis("MULTI")
        redis("SET", "lock", token, "PX", 10000)
        if redis("EXEC"):
            work()


def retries_at_random_times():
    for _ in range(3):
        if acquire(token, "PX", 10000):
            work()
            redis("EVAL", RELEASE, 1, "lock", token)
            return
        time.sleep(0.001 + int.from_bytes(os.urandom(2), "big") / 8192)


def enters_after_busy_wait(seconds, also=lambda: None):
    end = time.monotonic() + seconds
    while not acquire(token, "PX", 10000) and time.monotonic() < end:
        also()
    work()
    redis("EVAL", RELEASE, 1, "lock", token)


def waits_busily():
    enters_after_busy_wait(2)


def waits_busily_for_an_odd_time():
    enters_after_busy_wait(0.777)


def reads_in_busy_wait():
    enters_after_busy_wait(2, lambda: redis("GET", "stop"))


def gives_up_busy_wait():
    end = time.time() + 2
    while not acquire(token, "PX", 10000):
        if time.time() > end:
            return
    work()
    redis("EVAL", RELEASE, 1, "lock", token)


def outlasts_lease(wait):
    if acquire(token, "PX", 10000):
        redis("ECHO", "latchkey:inside:work")
        wait()
        redis("ECHO", "latchkey:outside:work")
        redis("EVAL", RELEASE, 1, "lock", token)


def sleeps():
    outlasts_lease(lambda: time.sleep(5))


def sleeps_and_reads_clock():
    outlasts_lease(lambda: (time.sleep(5), time.monotonic()))


def releases_carelessly_if_late():
    begin = time.monotonic()
    if acquire(token, "PX", 10000):
        redis("ECHO", "latchkey:inside:work")
        time.sleep(5)
        redis("ECHO", "latchkey:outside:work")
        if time.monotonic() - begin < 8:
            redis("EVAL", RELEASE, 1, "lock", token)
        else:
            redis("DEL", "lock")


def renews_in_thread():
    done = threading.Event()

    def renew():
        other = Redis()
        while not done.wait(4):
            other("EVAL", RELEASE.replace("'del', KEYS[1]", "'pexpire', KEYS[1], 10000"), 1, "lock", token)

    def wait():
        threading.Thread(target=renew).start()
        time.sleep(6)

    outlasts_lease(wait)
    done.set()


def waits_in_steps():
    outlasts_lease(lambda: [time.sleep(1) for _ in range(20)])


def waits_in_server():
    outlasts_lease(lambda: redis("BLPOP", "jobs", 15))


def waits_for_ticks():
    libc = ctypes.CDLL(None)
    timer = libc.timerfd_create(time.CLOCK_MONOTONIC, 0)
    libc.timerfd_settime(timer, 0, struct.pack("llll", 3, 0, 3, 0), None)
    outlasts_lease(lambda: [os.read(timer, 8) for _ in range(4)])


def works_with_time_limit():
    outlasts_lease(lambda: subprocess.run(["timeout", "12", "sleep", "60"]))


def stops_at_time_limit():
    outlasts_lease(lambda: subprocess.run(["timeout", "3", "sleep", "60"]))


def acquire_until_alarm():
    def ring(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(3)
    try:
        while not acquire(token, "PX", 10000):
            time.sleep(1)
        return True
    except TimeoutError:
        return False
    finally:
        signal.alarm(0)


def gives_up_at_alarm():
    if acquire_until_alarm():
        work()
        redis("EVAL", RELEASE, 1, "lock", token)


def enters_at_alarm():
    acquire_until_alarm()
    work()
    redis("EVAL", RELEASE, 1, "lock", token)


def marks_in_transaction():
    redis("MULTI")
    redis("ECHO", "latchkey:inside:work")
    redis("EXEC")
    redis("GET", "seen")
    redis("ECHO", "latchkey:outside:work")


def two_locks():
    if redis("SET", "first", token, "NX"):
        work("first")
        redis("EVAL", RELEASE, 1, "first", token)
    if redis("SET", "second", token, "NX", "PX", 10000):
        work("second")
        redis("EVAL", RELEASE, 1, "second", token)


def prefixed_id():
    if acquire("w:" + token, "PX", 10000):
        work()
        redis("EVAL", RELEASE.replace("ARGV[1]", "'w:' .. ARGV[1]"), 1, "lock", token)


def steals_from_the_living():
    redis("SET", "data:" + token, 1, "PX", 60000)
    script = "local owner = redis.call('get', KEYS[1]) if not owner or redis.call('exists', 'data:' .. owner) == 1 then"
    if redis("EVAL", script + " redis.call('set', KEYS[1], ARGV[1], 'PX', 60000) return 1 end return 0", 1, "lock", token):
        work()


def connection_id():
    name = redis("CLIENT", "ID")
    if acquire(name, "PX", 10000):
        work()
        redis("EVAL", RELEASE, 1, "lock", name)


def registers_first():
    redis("SADD", "workers", token)
    redis("EXPIRE", "workers", 60)
    if acquire(token, "PX", 10000):
        work()
        redis("EVAL", RELEASE, 1, "lock", token)


def minute_in_key():
    redis("SET", "rate:%d" % (time.time() // 60), 1, "EX", 120)


def reads_in_script():
    number = redis("EVAL", "return redis.call('get', 'order:1')", 0)
    redis("SET", "order:1", int(number or 0) + 1, "EX", 60)


def searches():
    if not redis("KEYS", "order:*"):
        redis("SET", "order:1", token, "EX", 60)


def creates_once():
    if not redis("GET", "order:1"):
        redis("SET", "order:1", token, "NX", "EX", 60)


def polls_in_server():
    redis("EVAL", "if redis.call('setnx', KEYS[1], 1) == 1 then redis.call('rpush', KEYS[2], 1) end", 2, "made", "free")
    while not redis("BLPOP", "free", 3):
        pass
    work()
    redis("RPUSH", "free", 1)


def works_on_its_own_job():
    redis("RPUSH", "jobs", token)
    job = redis("LMOVE", "jobs", "taken", "LEFT", "LEFT")
    if job:
        work(job.decode())


def works_on_the_first_job():
    redis("RPUSH", "jobs", token)
    job = redis("LINDEX", "jobs", 0)
    if job:
        work(job.decode())
        redis("LREM", "jobs", 1, job)


LIBRARY = "#!lua name=tests\nredis.register_function('number', function() return 1 end)"


def loads_library_once():
    try:
        redis("FUNCTION", "LOAD", LIBRARY)
    except ReplyError:
        return
    work()


def loads_library_if_absent():
    try:
        redis("FCALL", "number", 0)
    except ReplyError:
        work()
        redis("FUNCTION", "LOAD", "REPLACE", LIBRARY)


def watches_on_another_connection():
    redis("WATCH", "order:1")
    number = int(redis("GET", "order:1") or 0)
    other = Redis()
    other("MULTI")
    other("SET", "order:1", number + 1, "EX", 60)
    other("EXEC")


def overwrites_after_comparison():
    number = int(redis("GET", "order:1") or 0)
    script = "if (redis.call('get', KEYS[1]) or '0') ~= ARGV[1] then return 0 end redis.call('set', KEYS[1], ARGV[2], 'EX', 60) return 1"
    if not redis("EVAL", script, 1, "order:1", number, number + 1):
        redis("SET", "order:1", number + 1, "EX", 60)


def repeats_comparison():
    script = "if (redis.call('get', KEYS[1]) or '0') ~= ARGV[1] then return 0 end redis.call('set', KEYS[1], ARGV[2]) return 1"
    number = int(redis("GET", "order:1") or 0)
    while not redis("EVAL", script, 1, "order:1", number, number + 1):
        number = int(redis("GET", "order:1") or 0)


def seeds_with_the_second():
    import random

    random.seed(int(time.time()))
    name = "%032x" % random.getrandbits(128)
    if acquire(name, "PX", 10000):
        work()
        redis("EVAL", RELEASE, 1, "lock", name)


def compares_own(name):
    if acquire(name, "PX", 10000):
        work()
        redis("EVAL", RELEASE, 1, "lock", name)


def own_process():
    compares_own(os.getpid())


def own_process_of_child():
    child = os.fork()
    if child == 0:
        global redis
        redis = Redis()
        compares_own(os.getpid())
        os._exit(0)
    os.kill(child, 0)
    os.waitpid(child, 0)


def own_process_checked_first():
    name = os.getpid()
    if acquire(name, "PX", 10000):
        work()
        if int(redis("GET", "lock") or 0) == name:
            redis("DEL", "lock")


def own_thread():
    thread = threading.Thread(target=lambda: compares_own(threading.get_native_id()))
    thread.start()
    thread.join()


def own_address():
    compares_own(threading.get_ident())


RELEASE_FIELD = "if redis.call('hget', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('hdel', KEYS[1], ARGV[1]) end return 0"


def locks_in_one_hash():
    for name in ("printer", "scanner"):
        if redis("HSETNX", "locks", name, token):
            work(name)
            redis("EVAL", RELEASE_FIELD, 1, "locks", name, token)


def locks_in_one_hash_released_by_all():
    for name in ("printer", "scanner"):
        if redis("HSETNX", "locks", name, token):
            work(name)
        redis("HDEL", "locks", name)


def lock_of_two_fields():
    if redis("HSETNX", "lock", "owner", token):
        redis("HSET", "lock", "uses", 1)
        work()
        redis("DEL", "lock")
    else:
        redis("HSET", "lock", "uses", 2)


def enter_semaphore(limit, since):
    script = ("redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1]) "
              "if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[2]) then "
              "redis.call('ZADD', KEYS[1], ARGV[3], ARGV[4]) return 1 end return 0")
    now = int(time.time())
    return redis("EVAL", script, 1, "semaphore", now - since, limit, now, token)


def semaphore_of_two():
    if enter_semaphore(2, 10**9):
        work()
        redis("ZREM", "semaphore", token)


def semaphore_of_two_oldest_released():
    if enter_semaphore(2, 10**9):
        work()
        redis("ZPOPMIN", "semaphore")


def semaphore_with_leases():
    if enter_semaphore(1, 3600):
        work()
        redis("ZREM", "semaphore", token)


def semaphore_with_leases_cleared():
    if enter_semaphore(1, 0):  # Removes leases of the same second.
        work()
        redis("ZREM", "semaphore", token)


def set_of_locks():
    if redis("SADD", "locks", "job-7"):
        work()
        redis("SREM", "locks", "job-7")


def set_of_locks_released_by_all():
    if redis("SADD", "locks", "job-7"):
        work()
    redis("SREM", "locks", "job-7")


def continues_after_many_retries():
    for _ in range(150):
        if acquire("held", "PX", 30000):
            break
    work()


def ends_after_many_retries():
    for _ in range(150):
        if acquire("held", "PX", 30000):
            work()
            break


def works_on_listed_job():
    redis("RPUSH", "jobs", token)
    redis("PEXPIRE", "jobs", 60000)
    job = redis("LINDEX", "jobs", 0)
    if job and redis("SET", b"job:" + job, token, "NX", "PX", 10000):
        work()
        redis("EVAL", RELEASE, 1, b"job:" + job, token)


globals()[sys.argv[1]]()
