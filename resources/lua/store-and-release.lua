-- Stores a recomputed value and lets go of the guard under which it was recomputed, provided that the guard is still
-- the caller's. If it is not, its lease has ended and another client may have stored a newer value meanwhile.
-- Nobody can come between: a client that finds the guard free finds the value there as well.
--
-- KEYS[1]  the guard
-- KEYS[2]  the value
-- KEYS[3]  its stale copy, where one is kept
-- ARGV[1]  the token that the caller wrote into the guard
-- ARGV[2]  the value's bytes
-- ARGV[3]  the value's lifetime, in milliseconds
-- ARGV[4]  the stale copy's lifetime, in milliseconds
-- Answers  1 stored, 0 the guard is gone or another's
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
    return 0
end
-- SET would replace a key of any type; STRLEN is an error (WRONGTYPE) where somebody keeps something else there.
for i = 2, #KEYS do
    redis.call('STRLEN', KEYS[i])
end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
if KEYS[3] then
    redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[4])
end
redis.call('DEL', KEYS[1])
return 1
