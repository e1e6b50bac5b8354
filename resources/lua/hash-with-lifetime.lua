-- Writes fields into a hash and gives the hash a lifetime, as one step.
-- An error inside a script undoes nothing, so whatever can fail comes before the first write: HSET itself refuses a key
-- of another type and changes nothing then, and a user who may HSET but not PEXPIRE is turned away beforehand.
--
-- KEYS[1]    the hash
-- ARGV[1]    the lifetime, in milliseconds
-- ARGV[2..]  field, value, field, value and so on: at least one pair
-- Answers    how many of the fields are new
if redis.acl_check_cmd and not redis.acl_check_cmd('PEXPIRE', KEYS[1], ARGV[1]) then -- Since Redis 7.0.
    return redis.error_reply('NOPERM the user may not give the key a lifetime (PEXPIRE)')
end
-- unpack() puts its values on Lua's stack, which has room for some eight thousand.
local portion = 2000
local added = 0
for first = 2, #ARGV, portion do
    added = added + redis.call('HSET', KEYS[1], unpack(ARGV, first, math.min(first + portion - 1, #ARGV)))
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return added
