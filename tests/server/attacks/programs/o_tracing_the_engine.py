# Ends: ok, error, EventStreamBroken, ProgramDied, TimeLimitExceeded
# Python's own tools can read every frame of the engine and change its variables.
import sys, threading
import torch

touched = 0


def meddle(frame, event, argument):
    global touched
    if "backscope" not in frame.f_code.co_filename:
        return meddle
    frame.f_trace_opcodes = True
    for name in list(frame.f_locals):
        if name in ("seq", "line", "kind", "version"):
            try:
                frame.f_locals[name] = -(10**30)
                touched += 1
            except Exception:
                pass
    return meddle


def jump(frame, event, argument):
    """Sends the engine back to its first line, for ever."""
    if "backscope" in frame.f_code.co_filename:
        try:
            frame.f_lineno = frame.f_code.co_firstlineno + 1
        except (ValueError, TypeError):
            pass
    return jump


def storm(*a):
    raise KeyboardInterrupt if touched % 2 else SystemExit


x = torch.ones(3, requires_grad=True)
for install in (sys.settrace, sys.setprofile, threading.settrace, threading.setprofile):
    for function in (meddle, storm):
        try:
            install(function)
            (x * 2).sum().backward()
        except BaseException:
            pass
        finally:
            sys.settrace(None)
            sys.setprofile(None)
tools = getattr(sys, "monitoring", None)
if tools:
    for number in range(6):
        try:
            tools.use_tool_id(number, "x")
            tools.register_callback(number, tools.events.PY_START, storm)
            tools.set_events(number, tools.events.PY_START | tools.events.LINE)
            (x * 2).sum().backward()
        except BaseException:
            pass
        try:
            tools.set_events(number, 0)
            tools.free_tool_id(number)
        except BaseException:
            pass
print("done", touched > 0, flush=True)
sys.settrace(jump)
(x * 2).sum().backward()
