"""What Redis does in one step: each of these is a Lua script, so that a process that dies leaves nothing half done.

Times are Redis's own, so that the clocks of machines need not agree.

A full Redis refuses the first command of a script that takes memory, but none after one that has written.  So what
ends a run, or keeps it, begins with a command that takes none.
"""

from __future__ import annotations

from typing import Any

_NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""

_START = (
    _NOW
    + """
local queue, run, commands, address, started = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local id, order, who, kept = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local most, most_of_address, group = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
if redis.call('EXISTS', run) == 1 then return {'started', id} end
if started ~= '' then
  local known = redis.call('GET', started)
  if known then return {'known', known} end
end
local all = redis.call('XLEN', queue)
if all >= most then
  local running = redis.call('XPENDING', queue, group)[1]
  return {'full', running, all - running}
end
if address ~= '' then
  redis.call('ZREMRANGEBYSCORE', address, '-inf', now)
  if redis.call('ZCARD', address) >= most_of_address then return {'many'} end
  redis.call('ZADD', address, now + kept, id)
  redis.call('PEXPIRE', address, kept)
end
local entry = redis.call('XADD', queue, '*', 'id', id)
redis.call('HSET', run, 'order', order, 'address', address, 'status', 'waiting', 'entry', entry, 'last', -1, 'by', who)
redis.call('PEXPIRE', run, kept)
for at = 8, #ARGV, 3 do
  redis.call('XADD', commands, '*', 'gateway', who, 'number', ARGV[at], 'command', ARGV[at + 1], 'kind', ARGV[at + 2])
end
if #ARGV >= 8 then redis.call('PEXPIRE', commands, kept) end
if started ~= '' then redis.call('SET', started, id, 'PX', kept) end
return {'started', id}
"""
)

_APPEND = (
    _NOW
    + """
local log, run, lease = KEYS[1], KEYS[2], KEYS[3]
local token, first, last, kept, channel = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[7]
local most, closing = tonumber(ARGV[8]), ARGV[9] == '1'
if redis.call('GET', lease) ~= token then return 'lost' end
local written = redis.call('HGET', run, 'last')
if not written then return 'gone' end
written = tonumber(written)
if last <= written then return 'had' end
if first ~= written + 1 then return 'gap' end
if most > 0 and redis.call('XLEN', log) >= most and not closing then return 'full' end
if closing then redis.call('PEXPIRE', run, kept) end
redis.call('XADD', log, last .. '-1', 'first', first, 'events', ARGV[5], 'taken', ARGV[6])
redis.call('HSET', run, 'last', last, 'tries', 1)
redis.call('PEXPIRE', log, kept)
redis.call('PUBLISH', channel, 'e')
return 'ok'
"""
)

_FINISH = (
    _NOW
    + """
local run, lease, queue, commands, watching, finished = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local token, id, status, group, kept, channel = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
if redis.call('HGET', run, 'done') then return 'had' end
if redis.call('GET', lease) ~= token then return 'lost' end
local entry = redis.call('HGET', run, 'entry')
if not entry then return 'gone' end
redis.call('XACK', queue, group, entry)
redis.call('XDEL', queue, entry)
redis.call('HSET', run, 'status', status, 'done', 1, 'notices', '[]')
redis.call('HDEL', run, 'owner', 'entry')
redis.call('DEL', commands, watching, lease)
redis.call('PEXPIRE', run, kept)
redis.call('PEXPIRE', KEYS[7], kept)
redis.call('ZADD', finished, now, id)
local address = redis.call('HGET', run, 'address')
if address and address ~= '' then redis.call('ZREM', address, id) end
redis.call('PUBLISH', channel, 'd')
return 'ok'
"""
)

_CLAIM = """
local lease, run = KEYS[1], KEYS[2]
local token, milliseconds, entry = ARGV[1], ARGV[2], ARGV[3]
local held = redis.call('HMGET', run, 'entry', 'done')
if held[1] ~= entry or held[2] then return -1 end
if not redis.call('SET', lease, token, 'NX', 'PX', milliseconds) then return 0 end
redis.call('HSET', run, 'owner', token, 'status', 'running')
return redis.call('HINCRBY', run, 'tries', 1)
"""

_RENEW = (
    _NOW
    + """
local lease, run, watching = KEYS[1], KEYS[2], KEYS[3]
local token, milliseconds, kept = ARGV[1], ARGV[2], ARGV[3]
local held = redis.call('GET', lease)
if held and held ~= token then return -1 end
if redis.call('HGET', run, 'owner') ~= token then return -1 end
redis.call('PEXPIRE', run, kept)
redis.call('SET', lease, token, 'PX', milliseconds)
redis.call('PEXPIRE', KEYS[4], kept)
redis.call('PEXPIRE', KEYS[5], kept)
redis.call('ZREMRANGEBYSCORE', watching, '-inf', now)
return redis.call('ZCARD', watching)
"""
)

_RELEASE = """
local lease, run, queue = KEYS[1], KEYS[2], KEYS[3]
local token, id, group = ARGV[1], ARGV[2], ARGV[3]
if redis.call('GET', lease) ~= token then return 'lost' end
local entry = redis.call('HGET', run, 'entry')
if not entry then return 'gone' end
redis.call('XACK', queue, group, entry)
redis.call('XDEL', queue, entry)
redis.call('HSET', run, 'entry', redis.call('XADD', queue, '*', 'id', id), 'status', 'waiting')
redis.call('HDEL', run, 'owner')
redis.call('HINCRBY', run, 'tries', -1)
redis.call('DEL', lease)
return 'ok'
"""

_COMMAND = """
local commands, run = KEYS[1], KEYS[2]
local most, kept, channel = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local held = redis.call('HMGET', run, 'done', 'entry')
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
local answers = KEYS[1]
local most, milliseconds, channel = tonumber(ARGV[1]), ARGV[2], ARGV[3]
if redis.call('XLEN', answers) >= most then return 'full' end
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
    _NOW
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


class Scripts:
    """The scripts, each a function of its keys and arguments."""

    # Any: the answers of scripts are what each returns.
    def __init__(self, redis: Any) -> None:
        self.start = redis.register_script(_START)
        self.append = redis.register_script(_APPEND)
        self.finish = redis.register_script(_FINISH)
        self.claim = redis.register_script(_CLAIM)
        self.renew = redis.register_script(_RENEW)
        self.release = redis.register_script(_RELEASE)
        self.command = redis.register_script(_COMMAND)
        self.answer = redis.register_script(_ANSWER)
        self.notify = redis.register_script(_NOTIFY)
        self.watch = redis.register_script(_WATCH)
