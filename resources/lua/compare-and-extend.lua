-- Gives a lock a new lease from now on, provided that it still carries the caller's token.
-- A lock that is gone stays gone: making it anew could take it from a client that won and released it meanwhile.
--
-- KEYS[1]  the lock
-- ARGV[1]  the token that the caller wrote into it
-- ARGV[2]  the new lease, in milliseconds
-- Answers  1 extended, 0 the lock is another's, -1 there is no lock
local holder = redis.call('GET', KEYS[1])
if not holder then
    return -1
end
if holder ~= ARGV[1] then
    return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
