-- Answers everything that the server holds. Used by the race finder on servers of its own, where KEYS is cheap.
--
-- Answers  for each key, in order: its name, its type, its PTTL, its value as DUMP gives it, and for
--          people a string's value or the names of a hash's fields, a line each
local keys = redis.call('KEYS', '*')
table.sort(keys)
local answer = {}
for _, key in ipairs(keys) do
    local kind = redis.call('TYPE', key)['ok']
    answer[#answer + 1] = key
    answer[#answer + 1] = kind
    answer[#answer + 1] = redis.call('PTTL', key)
    answer[#answer + 1] = redis.call('DUMP', key)
    local text = ''
    if kind == 'string' then
        text = redis.call('GET', key)
    elseif kind == 'hash' then
        text = table.concat(redis.call('HKEYS', key), '\n')
    end
    answer[#answer + 1] = text
end
return answer
