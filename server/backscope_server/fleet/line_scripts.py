"""The scripts of the line in which runs wait for a worker, and of the places that they have then.

Addresses take turns: a run that joins is put into the round that is being served, or into the one after the last run
of the same address, as in `session.start_queue`.  A run's score in the line is its round, then its arrival.
"""

from __future__ import annotations

NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""

_LINE = (
    NOW
    + """
local waiting, running, paused, turns, bell = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local prefix, channel = ARGV[1], ARGV[2]
local arrivals = 4294967296

local function ring()
  redis.call('LPUSH', bell, 1)
  redis.call('LTRIM', bell, 0, 999)
  redis.call('PEXPIRE', bell, 60000)
end

local function join(id, address)
  local turn = tonumber(redis.call('HGET', turns, 'round') or 0)
  local last = redis.call('HGET', turns, 'last:' .. address)
  if last then turn = math.max(turn, tonumber(last) + 1) end
  redis.call('ZADD', waiting, turn * arrivals + redis.call('HINCRBY', turns, 'arrivals', 1), id)
  redis.call('HSET', turns, 'last:' .. address, turn)
  redis.call('HINCRBY', turns, 'count:' .. address, 1)
  ring()
  redis.call('PUBLISH', channel, 'j')
end

local function leave(id, address)
  local score = redis.call('ZSCORE', waiting, id)
  if not score then return false end
  redis.call('ZREM', waiting, id)
  if redis.call('ZCARD', waiting) == 0 then
    redis.call('DEL', turns)
  elseif redis.call('HINCRBY', turns, 'count:' .. address, -1) <= 0 then
    redis.call('HDEL', turns, 'count:' .. address, 'last:' .. address)
  end
  redis.call('PUBLISH', channel, 'l')
  return math.floor(score / arrivals)
end

local function free(id, address)
  redis.call('ZREM', running, id)
  redis.call('ZREM', paused, id)
  redis.call('ZREM', prefix .. 'busy:' .. address, id)
  if redis.call('ZCARD', waiting) > 0 then ring() end
end
"""
)

START = (
    _LINE
    + """
local run, commands, total, started, leading, result = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local id, order, who, kept, address = ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6]), ARGV[7]
local most, most_of_address, passing = tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10]
if redis.call('EXISTS', run) == 1 then return {'started', id} end
if started ~= '' then
  local known = redis.call('GET', started)
  if known then return {'known', known} end
end
if leading ~= '' then
  -- It may have ended since the caller looked for it.
  local ended = redis.call('GET', result)
  if ended and redis.call('EXISTS', prefix .. 'r:' .. ended) == 1 then return {'leads', ended} end
  local other = redis.call('GET', leading)
  if other then
    -- It leads for as long as it goes on and nobody debugs it.
    local held = redis.call('HMGET', prefix .. 'r:' .. other, 'status', 'done', 'commands')
    if held[1] and not held[2] and tonumber(held[3] or 0) == 0 then return {'leads', other} end
  end
end
local in_line, having = redis.call('ZCARD', waiting), redis.call('ZCARD', running)
if in_line + having >= most then return {'full', having, in_line} end
if address ~= '' and redis.call('ZCOUNT', total, now, '+inf') >= most_of_address then return {'many'} end
redis.call('HSET', run, 'order', order, 'address', address, 'status', 'waiting', 'last', -1, 'by', who)
if passing == '1' then redis.call('HSET', run, 'passing', 1) end
redis.call('PEXPIRE', run, kept)
if address ~= '' then
  redis.call('ZREMRANGEBYSCORE', total, '-inf', now)
  redis.call('ZADD', total, now + kept, id)
  redis.call('PEXPIRE', total, kept)
end
for at = 11, #ARGV, 3 do
  redis.call('XADD', commands, '*', 'gateway', who, 'number', ARGV[at], 'command', ARGV[at + 1], 'kind', ARGV[at + 2])
end
if #ARGV >= 11 then redis.call('PEXPIRE', commands, kept) end
if started ~= '' then redis.call('SET', started, id, 'PX', kept) end
if leading ~= '' then redis.call('SET', leading, id, 'PX', kept) end
join(id, address)
return {'started', id}
"""
)

# A run is taken over when its lease has ended; those in line when their address has not all its places.
TAKE = (
    _LINE
    + """
local token, milliseconds, most_of_address, kept = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]

local function claim(id, address, passing)
  redis.call('PEXPIRE', prefix .. 'r:' .. id, kept)
  if not redis.call('SET', prefix .. 'lease:' .. id, token, 'NX', 'PX', milliseconds) then return nil end
  local run = prefix .. 'r:' .. id
  redis.call('ZADD', running, now + milliseconds, id)
  if address ~= '' and not passing then
    local busy = prefix .. 'busy:' .. address
    redis.call('ZADD', busy, now + milliseconds, id)
    redis.call('PEXPIRE', busy, 600000)
  end
  redis.call('HSET', run, 'owner', token, 'status', 'running')
  return {id, redis.call('HINCRBY', run, 'tries', 1)}
end

for _, id in ipairs(redis.call('ZRANGEBYSCORE', running, '-inf', now, 'LIMIT', 0, 100)) do
  local held = redis.call('HMGET', prefix .. 'r:' .. id, 'status', 'done', 'address', 'passing')
  if not held[1] or held[2] then
    free(id, held[3] or '')
  else
    local found = claim(id, held[3], held[4])
    if found then return found end
  end
end
local full = {}
for _, id in ipairs(redis.call('ZRANGE', waiting, 0, -1)) do
  local held = redis.call('HMGET', prefix .. 'r:' .. id, 'status', 'address', 'passing')
  local address = held[2] or ''
  if not held[1] then
    leave(id, '')
  elseif not full[address] then
    if address ~= '' and not held[3]
       and redis.call('ZCOUNT', prefix .. 'busy:' .. address, now, '+inf') >= most_of_address then
      full[address] = true
    else
      local turn = leave(id, address)
      if redis.call('ZCARD', waiting) > 0 then
        local round = tonumber(redis.call('HGET', turns, 'round') or 0)
        if turn > round then redis.call('HSET', turns, 'round', turn) end
      end
      local found = claim(id, address, held[3])
      if found then return found end
    end
  end
end
return nil
"""
)

FINISH = (
    _LINE
    + """
local run, lease, commands, watching, finished = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local token, id, status, kept, readers, clean = ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8] == '1'
local result, leading = KEYS[12], KEYS[13]
if redis.call('HGET', run, 'done') then return 'had' end
if redis.call('GET', lease) ~= token then return 'lost' end
local held = redis.call('HMGET', run, 'status', 'address')
if not held[1] then return 'gone' end
free(id, held[2] or '')
redis.call('HSET', run, 'status', status, 'done', 1, 'notices', '[]')
redis.call('HDEL', run, 'owner', 'address')
redis.call('DEL', commands, watching, lease)
redis.call('PEXPIRE', run, kept)
redis.call('PEXPIRE', KEYS[11], kept)
redis.call('ZADD', finished, now, id)
if clean then redis.call('SET', result, id, 'PX', kept) end
if leading ~= '' and redis.call('GET', leading) == id then redis.call('DEL', leading) end
if held[2] and held[2] ~= '' then redis.call('ZREM', prefix .. 'address:' .. held[2], id) end
redis.call('PUBLISH', readers, 'd')
return 'ok'
"""
)

# First in line again: it has waited before.
RELEASE = (
    _LINE
    + """
local run, lease = KEYS[6], KEYS[7]
local token, id = ARGV[3], ARGV[4]
if redis.call('GET', lease) ~= token then return 'lost' end
local held = redis.call('HMGET', run, 'status', 'address')
if not held[1] then return 'gone' end
local address = held[2] or ''
free(id, address)
redis.call('HSET', run, 'status', 'waiting')
redis.call('HDEL', run, 'owner')
redis.call('HINCRBY', run, 'tries', -1)
redis.call('DEL', lease)
local round = tonumber(redis.call('HGET', turns, 'round') or 0)
redis.call('ZADD', waiting, round * arrivals, id)
redis.call('HSETNX', turns, 'last:' .. address, round)
redis.call('HINCRBY', turns, 'count:' .. address, 1)
ring()
redis.call('PUBLISH', channel, 'j')
return 'ok'
"""
)

# Ends a run that no worker has taken.
WITHDRAW = (
    _LINE
    + """
local run, log, commands, watching, finished = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local id, status, kept, readers, events, last = ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]
if ARGV[9] == '1' and redis.call('ZCOUNT', watching, now, '+inf') > 0 then return 0 end
local held = redis.call('HMGET', run, 'last', 'address')
if held[1] ~= '-1' then return 0 end
if not leave(id, held[2] or '') then return 0 end
redis.call('XADD', log, last .. '-1', 'first', 0, 'events', events, 'taken', '[]')
redis.call('PEXPIRE', log, kept)
redis.call('HSET', run, 'last', last, 'status', status, 'done', 1, 'notices', '[]')
redis.call('HDEL', run, 'address')
redis.call('DEL', commands, watching)
redis.call('PEXPIRE', run, kept)
redis.call('ZADD', finished, now, id)
if held[2] and held[2] ~= '' then redis.call('ZREM', prefix .. 'address:' .. held[2], id) end
redis.call('PUBLISH', readers, 'd')
return 1
"""
)

# Who waits, in the order of the line; who is paused, the longest first; how many places each of their addresses has.
LOOK = (
    _LINE
    + """
local most = tonumber(ARGV[3])
local found, places, known = {{}, {}, {}, redis.call('ZCARD', waiting)}, {}, {}
local function add(list, id)
  local address = redis.call('HGET', prefix .. 'r:' .. id, 'address') or ''
  table.insert(list, id)
  table.insert(list, address)
  if address ~= '' and not known[address] then
    known[address] = true
    table.insert(found[3], address)
    table.insert(found[3], redis.call('ZCOUNT', prefix .. 'busy:' .. address, now, '+inf'))
  end
end
for _, id in ipairs(redis.call('ZRANGE', waiting, 0, most - 1)) do add(found[1], id) end
if #found[1] > 0 then
  for _, id in ipairs(redis.call('ZRANGE', paused, 0, most - 1)) do
    if redis.call('ZSCORE', running, id) then add(found[2], id) else redis.call('ZREM', paused, id) end
  end
end
return found
"""
)
