-- Makes a lock together with its lease, if there is none yet.
-- Only the winner may set the expiry: a loser that did would prolong the winner's lease.
--
-- KEYS[1]  the lock
-- ARGV[1]  what to write into it
-- ARGV[2]  the lease, in milliseconds
-- Answers  1 made, 0 the key exists and was left as it is
local won = redis.call('SETNX', KEYS[1], ARGV[1])
if won == 1 then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return won
