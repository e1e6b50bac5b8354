-- Makes a lock with a token and a lease, if there is none yet, and counts: each lock gets a larger number.
-- The counter comes first, because nothing that a script has done is undone when it fails: a counter that cannot be
-- counted (another type, not a number) ends it before there is a lock. A busy lock does not count, nor does one that the
-- server refuses to make (SET is forbidden, or has another name there): no client has seen that number.
--
-- KEYS[1]  the lock
-- KEYS[2]  the counter; it must never expire
-- ARGV[1]  the caller's token
-- ARGV[2]  the lease, in milliseconds
-- Answers  the number, or nil if the lock is held
if redis.call('EXISTS', KEYS[1]) == 1 then
    return nil
end
local number = redis.call('INCR', KEYS[2])
local made = redis.pcall('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
if made.err then
    if number == 1 then
        redis.pcall('DEL', KEYS[2])
    else
        redis.pcall('DECR', KEYS[2])
    end
    return made
end
return number
