"""What Redis does in one step: each of these is a Lua script, so that a process that dies leaves nothing half done.

Times are Redis's own, so that the clocks of machines need not agree.

A full Redis refuses the first command of a script that takes memory, but none after one that has written.  So what
ends a run, or keeps it, begins with a command that takes none.
"""

from __future__ import annotations

from typing import Any

from backscope_server.fleet import address_scripts, line_scripts
from backscope_server.fleet.line_scripts import NOW

_APPEND = (
    NOW
    + """
local log, run, lease = KEYS[1], KEYS[2], KEYS[3]
local token, first, last, kept, channel = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[7]
local most, closing = tonumber(ARGV[8]), ARGV[9] == '1'  -- The bytes that may wait of a run that is passing.
if redis.call('GET', lease) ~= token then return 'lost' end
local written = redis.call('HGET', run, 'last')
if not written then return 'gone' end
written = tonumber(written)
if last <= written then return 'had' end
if first ~= written + 1 then return 'gap' end
if most > 0 and not closing and redis.call('XLEN', log) > 0 then
  if tonumber(redis.call('HGET', run, 'unread') or 0) + #ARGV[5] > most then return 'full' end
end
if closing then redis.call('PEXPIRE', run, kept) end
redis.call('XADD', log, last .. '-1', 'first', first, 'events', ARGV[5], 'taken', ARGV[6])
redis.call('HSET', run, 'last', last, 'tries', 1, 'survived', 0)
if most > 0 then redis.call('HINCRBY', run, 'unread', #ARGV[5]) end
redis.call('PEXPIRE', log, kept)
redis.call('PUBLISH', channel, 'e')
return 'ok'
"""
)

_RENEW = (
    NOW
    + """
local lease, run, watching, running, paused = KEYS[1], KEYS[2], KEYS[3], KEYS[6], KEYS[7]
local token, milliseconds, kept, is_paused, id = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1', ARGV[5]
local held = redis.call('GET', lease)
if held and held ~= token then return -1 end
if redis.call('HGET', run, 'owner') ~= token then return -1 end
redis.call('PEXPIRE', run, kept)
redis.call('SET', lease, token, 'PX', milliseconds)
redis.call('PEXPIRE', KEYS[4], kept)
redis.call('PEXPIRE', KEYS[5], kept)
redis.call('ZADD', running, 'XX', now + milliseconds, id)
local address = redis.call('HGET', run, 'address')
if address and address ~= '' then
  redis.call('ZADD', ARGV[6] .. 'busy:' .. address, 'XX', now + milliseconds, id)
  redis.call('PEXPIRE', ARGV[6] .. 'busy:' .. address, 600000)
end
if is_paused then redis.call('ZADD', paused, 'NX', now, id) else redis.call('ZREM', paused, id) end
redis.call('ZREMRANGEBYSCORE', watching, '-inf', now)
return redis.call('ZCARD', watching)
"""
)

_COMMAND = """
local commands, run = KEYS[1], KEYS[2]
local most, kept, channel = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local held = redis.call('HMGET', run, 'done', 'status')
if held[1] then return 'over' end
if not held[2] then return 'gone' end
if ARGV[7] ~= 'command' then redis.call('PEXPIRE', run, kept) end
local sent = 'sent:' .. ARGV[4]
if tonumber(redis.call('HGET', run, sent) or 0) >= tonumber(ARGV[5]) then return 'ok' end
if redis.call('HINCRBY', run, 'commands', #ARGV[6]) > most and ARGV[7] == 'command' then return 'many' end
redis.call('HSET', run, sent, ARGV[5])
redis.call('XADD', commands, '*', 'gateway', ARGV[4], 'number', ARGV[5], 'command', ARGV[6], 'kind', ARGV[7])
redis.call('PEXPIRE', commands, kept)
redis.call('PUBLISH', channel, 'c')
return 'ok'
"""

_ANSWER = """
local answers, run = KEYS[1], KEYS[2]
local most, milliseconds, channel, most_bytes = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[7])
if redis.call('EXISTS', run) == 0 then return 'gone' end
local waiting = redis.call('XLEN', answers)
local bytes = waiting > 0 and tonumber(redis.call('HGET', run, 'answers') or 0) or 0
if waiting >= most or (waiting > 0 and bytes + #ARGV[6] > most_bytes) then return 'full' end
redis.call('HSET', run, 'answers', bytes + #ARGV[6])
redis.call('XADD', answers, '*', 'gateway', ARGV[4], 'number', ARGV[5], 'answer', ARGV[6])
redis.call('PEXPIRE', answers, milliseconds)
redis.call('PUBLISH', channel, 'a')
return 'ok'
"""

_NOTIFY = """
if redis.call('HEXISTS', KEYS[1], 'order') == 0 then return 0 end
redis.call('HSET', KEYS[1], 'notices', ARGV[1])
redis.call('PUBLISH', ARGV[2], 'n')
return 1
"""

_WATCH = (
    NOW
    + """
local watching = KEYS[1]
local gateway, milliseconds = ARGV[1], tonumber(ARGV[2])
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
redis.call('ZREMRANGEBYSCORE', watching, '-inf', now)
if milliseconds > 0 then
  local until_then = now + milliseconds
  local before = tonumber(redis.call('ZSCORE', watching, gateway) or 0)
  redis.call('ZADD', watching, math.max(until_then, ARGV[4] == '1' and before or 0), gateway)
  redis.call('PEXPIRE', watching, 2 * milliseconds)
else
  redis.call('ZREM', watching, gateway)
end
redis.call('PUBLISH', ARGV[3], 'w')
return 1
"""
)

# Counts one client more, or one less, who has the run; 0 once nobody has it.
_HOLD = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local holders = tonumber(redis.call('HGET', KEYS[1], 'holders') or 1) + tonumber(ARGV[1])
redis.call('HSET', KEYS[1], 'holders', holders)
return holders
"""

# A worker that was cut off has not been ended by the program: that is no try, unless it happens again and again.
_SURVIVED = """
local held = redis.call('HMGET', KEYS[1], 'done', 'tries', 'survived')
if held[1] or tonumber(held[2] or 0) <= 1 or tonumber(held[3] or 0) >= tonumber(ARGV[1]) then return 0 end
redis.call('HINCRBY', KEYS[1], 'tries', -1)
return redis.call('HINCRBY', KEYS[1], 'survived', 1)
"""

# Counts one client more for the run that is the result of a program; its id.
_HOLD_RESULT = """
local id = redis.call('GET', KEYS[1])
if not id then return nil end
local run = ARGV[1] .. 'r:' .. id
if redis.call('EXISTS', run) == 0 then return nil end
redis.call('HSET', run, 'holders', tonumber(redis.call('HGET', run, 'holders') or 1) + 1)
return id
"""

# The memory of runs by what it is for: of `most` of each kind, and as many more as there are.
_STORED_BYTES = """
local prefix, most = ARGV[1], tonumber(ARGV[2])
local waiting, running, finished = KEYS[1], KEYS[2], KEYS[3]
local function bytes(name) return redis.call('MEMORY', 'USAGE', name) or 0 end
local function of_each(set, kind)
  local found, total = redis.call('ZRANDMEMBER', set, most), 0
  if #found == 0 then return 0 end
  for _, id in ipairs(found) do total = total + bytes(prefix .. kind .. ':' .. id) end
  return math.floor(total * redis.call('ZCARD', set) / #found)
end
local line = of_each(waiting, 'r')
for _, name in ipairs(KEYS) do
  if name ~= running and name ~= finished then line = line + bytes(name) end
end
return {
  of_each(running, 's'), of_each(finished, 's'), of_each(running, 'c') + of_each(waiting, 'c'), of_each(running, 'a'),
  line,
}
"""


class Scripts:
    """The scripts, each a function of its keys and arguments."""

    # Any: the answers of scripts are what each returns.
    def __init__(self, redis: Any) -> None:
        self.start = redis.register_script(line_scripts.START)
        self.take = redis.register_script(line_scripts.TAKE)
        self.withdraw = redis.register_script(line_scripts.WITHDRAW)
        self.look = redis.register_script(line_scripts.LOOK)
        self.rate = redis.register_script(address_scripts.RATE)
        self.open_socket = redis.register_script(address_scripts.OPEN_SOCKET)
        self.sockets = redis.register_script(address_scripts.SOCKETS)
        self.stored_bytes = redis.register_script(_STORED_BYTES)
        self.append = redis.register_script(_APPEND)
        self.finish = redis.register_script(line_scripts.FINISH)
        self.renew = redis.register_script(_RENEW)
        self.release = redis.register_script(line_scripts.RELEASE)
        self.command = redis.register_script(_COMMAND)
        self.answer = redis.register_script(_ANSWER)
        self.notify = redis.register_script(_NOTIFY)
        self.survived = redis.register_script(_SURVIVED)
        self.hold = redis.register_script(_HOLD)
        self.hold_result = redis.register_script(_HOLD_RESULT)
        self.watch = redis.register_script(_WATCH)
