-- Changes the value or the expiry of one key, so that the race finder can compare the effects of a command on both.
--
-- ARGV[1]  the key; if it does not exist, 'value' creates a string
-- ARGV[2]  'value': changes each part of the value; 'part': changes one part; 'expiry': changes the expiry
-- ARGV[3]  the number of the change, from 1; for 'part' the number of the part; a string has a part for each bit
-- Answers  1; 0 if there is no such change
local key = ARGV[1]
local what = ARGV[2]
local number = tonumber(ARGV[3])
local distance = number == 1 and 1000003 or -1000003

local function otherText(text)
    if tonumber(text) then
        return string.format('%.17g', tonumber(text) + distance)
    end
    local changed = {}
    for i = 1, #text do
        changed[i] = string.char(bit.bxor(text:byte(i), number))
    end
    return table.concat(changed) .. (#text == 0 and string.rep('x', number) or '')
end

-- A document stays one, so that a script can read it.
local function otherLeaves(value)
    if type(value) == 'table' then
        local changed = {}
        for name, leaf in pairs(value) do
            changed[name] = otherLeaves(leaf)
        end
        return changed
    elseif type(value) == 'number' then
        return value + distance
    end
    return type(value) == 'string' and otherText(value) or value
end

local function other(text)
    local isDocument, document = pcall(cjson.decode, text)
    if isDocument and type(document) == 'table' then
        return cjson.encode(otherLeaves(document))
    end
    return otherText(text)
end

local function selected(count)
    if what == 'value' then
        return 1, count
    end
    return number, math.min(number, count)
end

local vary = {}

function vary.string()
    local text = redis.call('GET', key)
    if what == 'value' then
        redis.call('SET', key, other(text), 'KEEPTTL')
        return 1
    elseif number > #text * 8 then
        return 0
    end
    local byte = math.floor((number - 1) / 8)
    local mask = 2 ^ ((number - 1) % 8)
    redis.call('SETRANGE', key, byte, string.char(bit.bxor(text:byte(byte + 1), mask)))
    return 1
end

function vary.hash()
    local all = redis.call('HGETALL', key)
    local first, last = selected(#all / 2)
    for i = first, last do
        redis.call('HSET', key, all[2 * i - 1], other(all[2 * i]))
    end
    return last - first + 1
end

function vary.list()
    local all = redis.call('LRANGE', key, 0, -1)
    local first, last = selected(#all)
    for i = first, last do
        redis.call('LSET', key, i - 1, other(all[i]))
    end
    return last - first + 1
end

function vary.zset()
    local all = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    local first, last = selected(#all / 2)
    for i = first, last do
        redis.call('ZINCRBY', key, distance, all[2 * i - 1])
    end
    return last - first + 1
end

function vary.set()
    for _, member in ipairs(what == 'value' and redis.call('SMEMBERS', key) or {}) do
        redis.call('SADD', key, other(member))
        redis.call('SREM', key, member)
    end
    return what == 'value' and 1 or 0
end

local addition = {
    hash = {'HSET', key, 'latchkey-other', '1'},
    list = {'RPUSH', key, 'latchkey-other'},
    zset = {'ZADD', key, '1', 'latchkey-other'},
    set = {'SADD', key, 'latchkey-other'},
    stream = {'XADD', key, '*', 'latchkey-other', '1'},
}

if what == 'expiry' then
    local left = redis.call('PTTL', key)
    if left < 0 then
        return redis.call('PEXPIRE', key, number * 12345678)
    end
    return redis.call('PEXPIRE', key, number == 1 and left + 12345678 or math.ceil(left / 2))
end
local kind = redis.call('TYPE', key)['ok']
if kind == 'none' then
    return what == 'value' and redis.call('SET', key, number) and 1 or 0
end
local varied = vary[kind] and vary[kind]() or (what == 'value' and 1 or 0)
if what == 'value' and addition[kind] then
    redis.call(unpack(addition[kind]))
end
return varied > 0 and 1 or 0
