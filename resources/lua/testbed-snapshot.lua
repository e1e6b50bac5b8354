-- Answers everything that the server holds. Used by the race finder on servers of its own, where KEYS is cheap.
--
-- Answers  for each key, in order: its name, its type, its PTTL, its value as DUMP gives it, for people a
--          string's value or the names of a hash's fields, a line each, and of a hash whose fields have
--          lifetimes a list: its fields, each with its HPTTL
local keys = redis.call('KEYS', '*')
table.sort(keys)

-- The lifetimes of the fields, and the hash without them: DUMP would tell them as moments, which differ
-- between two servers that hold the same.
local function withoutLifetimes(key)
    local names = redis.call('HKEYS', key)
    local ends = redis.pcall('HPTTL', key, 'FIELDS', #names, unpack(names))
    if type(ends) ~= 'table' or ends.err then -- Older than Redis 7.4.
        return {}, redis.call('DUMP', key)
    end
    local fields = {}
    local isEnding = false
    for i, name in ipairs(names) do
        fields[#fields + 1] = name
        fields[#fields + 1] = ends[i]
        isEnding = isEnding or ends[i] >= 0
    end
    if not isEnding then
        return {}, redis.call('DUMP', key)
    end
    local copy = key .. ':latchkey-testbed'
    redis.call('HSET', copy, unpack(redis.call('HGETALL', key)))
    local dump = redis.call('DUMP', copy)
    redis.call('DEL', copy)
    return fields, dump
end

local answer = {}
for _, key in ipairs(keys) do
    local kind = redis.call('TYPE', key)['ok']
    answer[#answer + 1] = key
    answer[#answer + 1] = kind
    answer[#answer + 1] = redis.call('PTTL', key)
    local text = ''
    local fields = {}
    if kind == 'hash' then
        text = table.concat(redis.call('HKEYS', key), '\n')
        fields, answer[#answer + 1] = withoutLifetimes(key)
    else
        answer[#answer + 1] = redis.call('DUMP', key)
    end
    if kind == 'string' then
        text = redis.call('GET', key)
    end
    answer[#answer + 1] = text
    answer[#answer + 1] = fields
end
return answer
