-- Releases a lock, provided that it still carries the caller's token.
-- Comparing and deleting must be one step: between a GET and a DEL the lease can end and another client can win.
--
-- KEYS[1]  the lock
-- ARGV[1]  the token that the caller wrote into it
-- Answers  1 deleted, 0 the lock is another's, -1 there is no lock
local holder = redis.call('GET', KEYS[1])
if not holder then
    return -1
end
if holder ~= ARGV[1] then
    return 0
end
return redis.call('DEL', KEYS[1])
