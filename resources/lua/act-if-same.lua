-- Carries out one command on a key, provided that it still holds what the caller has seen and ends when the caller has
-- seen it end. For a server that is out of memory: it refuses to queue any command behind MULTI, but lets a script
-- delete a key or change its end.
--
-- KEYS[1]  the key
-- ARGV[1]  the SHA1 of what DUMP said of it, in hexadecimal digits
-- ARGV[2]  the least and
-- ARGV[3]  the most milliseconds that it may have left; both -1 where it does not expire
-- ARGV[4]  the command's name, and behind it
-- ARGV[5]  … what follows the key in it
-- Answers  what the command said, and then how long the key has left (PTTL); 0 alone where the key is not what it was,
--          -1 alone where there is no such key
local dump = redis.call('DUMP', KEYS[1])
if not dump then
    return -1
end
local left = redis.call('PTTL', KEYS[1])
if redis.sha1hex(dump) ~= ARGV[1] or left < tonumber(ARGV[2]) or left > tonumber(ARGV[3]) then
    return 0
end
local said = redis.call(ARGV[4], KEYS[1], unpack(ARGV, 5))
return {said, redis.call('PTTL', KEYS[1])}
