-- Carries out one command on a key, provided that it still holds what the caller has seen and ends when the caller has
-- seen it end: compared and changed at one blow. Also for a server that is out of memory: it refuses to queue any
-- command behind MULTI, but lets a script delete a key or change its end.
--
-- KEYS[1]  the key
-- ARGV[1]  the SHA1 of what DUMP said of it, in hexadecimal digits
-- ARGV[2]  what tells its end: PTTL, or PEXPIRETIME where the server has it
-- ARGV[3]  the least and
-- ARGV[4]  the most that this may say; both -1 where the key does not end
-- ARGV[5]  the command's name, and behind it
-- ARGV[6]  … what follows the key in it
-- Answers  what the command said, and then how long the key has left (PTTL); 0 alone where the key is not what it was,
--          -1 alone where there is no such key
local dump = redis.call('DUMP', KEYS[1])
if not dump then
    return -1
end
-- What is asked in the end is asked before as well: where it is denied, nothing has been done yet.
local told = redis.call('PTTL', KEYS[1])
if ARGV[2] ~= 'PTTL' then
    told = redis.call(ARGV[2], KEYS[1])
end
if redis.sha1hex(dump) ~= ARGV[1] or told < tonumber(ARGV[3]) or told > tonumber(ARGV[4]) then
    return 0
end
local said = redis.call(ARGV[5], KEYS[1], unpack(ARGV, 6))
return {said, redis.call('PTTL', KEYS[1])}
