"""The scripts that count what an address does at all gateways: its requests and starts, and its open WebSockets.

The sockets of an address are a hash with a field for each gateway: how many it has, the number of the write that says
so, and until when that holds, milliseconds.  Writes that come late are left out, so they may overtake each other.
"""

from __future__ import annotations

from backscope_server.fleet.line_scripts import NOW

# The limit of access.rates.Rate: the time at which an address has its whole amount again.
_TAKE = (
    NOW
    + """
local function take(key, cost, amount, milliseconds)
  local after = math.max(now, tonumber(redis.call('GET', key) or now)) + cost * milliseconds / amount
  local excess = after - now - milliseconds
  if excess > 0.001 then return math.ceil(excess) end
  redis.call('SET', key, string.format('%.3f', after), 'PX', math.ceil(after - now))
  return 0
end
"""
)

RATE = _TAKE + "return take(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]))"

# Counts a request, and the socket that it opens: the milliseconds to wait, and 1 if there is room for the socket.
OPEN_SOCKET = (
    _TAKE
    + """
local sockets, gateway, write, many = KEYS[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local most, milliseconds = tonumber(ARGV[6]), tonumber(ARGV[7])
local wait = take(KEYS[1], 1, tonumber(ARGV[1]), tonumber(ARGV[2]))
if wait > 0 then return {wait, 0} end
local others, known = 0, 0
local held = redis.call('HGETALL', sockets)
for at = 1, #held, 2 do
  local count, number, ends = string.match(held[at + 1], '(%d+) (%d+) (%d+)')
  if tonumber(ends) <= now then
    redis.call('HDEL', sockets, held[at])
  elseif held[at] == gateway then
    known = tonumber(number)
  else
    others = others + tonumber(count)
  end
end
if others + many > most then return {0, 0} end
if write > known then
  redis.call('HSET', sockets, gateway, string.format('%d %d %d', many, write, now + milliseconds))
  redis.call('PEXPIRE', sockets, milliseconds)
end
return {0, 1}
"""
)

# Writes how many sockets a gateway has of each of these addresses.
SOCKETS = (
    NOW
    + """
local gateway, write, milliseconds = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
for at, sockets in ipairs(KEYS) do
  local many = tonumber(ARGV[3 + at])
  local known = string.match(redis.call('HGET', sockets, gateway) or '', '%d+ (%d+)')
  if known and tonumber(known) > write then
    -- It has opened one since.
  elseif many == 0 then
    redis.call('HDEL', sockets, gateway)
  else
    redis.call('HSET', sockets, gateway, string.format('%d %d %d', many, write, now + milliseconds))
    redis.call('PEXPIRE', sockets, milliseconds)
  end
end
"""
)
