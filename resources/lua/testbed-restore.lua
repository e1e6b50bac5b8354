-- Makes the server hold the given keys and nothing else. Used by the race finder on servers of its own.
--
-- ARGV     for each key: its name, its lifetime in milliseconds (0: none), its value as DUMP gave it
redis.call('FLUSHDB')
for i = 1, #ARGV, 3 do
    redis.call('RESTORE', ARGV[i], ARGV[i + 1], ARGV[i + 2])
end
return #ARGV / 3
