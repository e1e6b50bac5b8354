-- Makes the server hold the given keys and nothing else. Used by the race finder on servers of its own.
--
-- ARGV     for each key: its name, its lifetime in milliseconds (0: none), its value as DUMP gave it, and
--          how many of its fields have lifetimes of their own; then each of these with its milliseconds
redis.call('FLUSHDB')
local i = 1
local count = 0
while i <= #ARGV do
    local key = ARGV[i]
    redis.call('RESTORE', key, ARGV[i + 1], ARGV[i + 2])
    local fields = tonumber(ARGV[i + 3])
    i = i + 4
    for _ = 1, fields do
        redis.call('HPEXPIRE', key, ARGV[i + 1], 'FIELDS', 1, ARGV[i])
        i = i + 2
    end
    count = count + 1
end
return count
