-- Gives a key another end if that is later, or earlier, than the one that it has. For servers before Redis 7, whose
-- PEXPIRE and PEXPIREAT know neither GT nor LT.
--
-- KEYS[1]  the key, which has an end
-- ARGV[1]  GT where the new end is to be later, LT where it is to be earlier
-- ARGV[2]  PEXPIRE or PEXPIREAT
-- ARGV[3]  its milliseconds: what is to be left, or since 1970
-- Answers  1 set, 0 left as it was
local left = redis.call('PTTL', KEYS[1])
local wanted = tonumber(ARGV[3])
if ARGV[2] == 'PEXPIREAT' then
    -- Before Redis 5 nothing may be written after TIME unless this is said first.
    if redis.replicate_commands then
        redis.replicate_commands()
    end
    local time = redis.call('TIME')
    wanted = wanted - (tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
end
if left < 0 or (ARGV[1] == 'GT' and wanted <= left) or (ARGV[1] == 'LT' and wanted >= left) then
    return 0
end
return redis.call(ARGV[2], KEYS[1], ARGV[3])
