"""The place of a step in words: the module that it ran in and the rounds of the loops around it."""

from __future__ import annotations

import re

from backscope.caption.module_calls import ModuleCalls, Round, step_of
from backscope.caption.run import Run
from backscope.caption.steps import Moment
from backscope.protocol import events as ev
from backscope.protocol.sentences import say


def place_text(run: Run, moment: Moment) -> str:
    """Return a place: `in model.encoder (call 2), round 3 of 20`; empty outside of modules and loops."""
    main = moment.main
    made = None if isinstance(main, ev.OpApplied) else _made(run, moment)
    call = run.module_calls.call_at(main.seq if made is None else made.seq)
    op = main if isinstance(main, ev.OpApplied) else made
    module = op.module_path if op is not None else None if call is None else call.event.path
    rounds = _rounds_text(_rounds_of(run.module_calls, main.seq, made))
    if module is None:
        within = ""
    elif call is not None and call.outer is not None and call.event.times > 1:
        within = say("place.module_call", module=module, times=call.event.times)
    else:
        within = say("place.module", module=module)
    return say("join.comma").join(filter(None, (within, rounds)))


def _made(run: Run, moment: Moment) -> ev.OpApplied | None:
    """Return the op that made the node that a moment is about."""
    main = moment.main
    node: int | None = None
    if isinstance(main, ev.BackwardStarted):
        node = main.root_nodes[0] if main.root_nodes else None
    elif isinstance(main, ev.RecomputationFinished):
        begun = run.recomputations.at(main.seq - 1)
        node = None if begun is None else begun.node
    elif isinstance(main, _OF_NODES):
        node = main.node
    facts = None if node is None else run.tape.nodes.get(node)
    return None if facts is None else facts.op


_OF_NODES = (
    ev.NodeStarted, ev.RecomputationStarted, ev.GradAccumulated, ev.GradientCaptured, ev.HookRegistered,
    ev.HookRemoved, ev.HookRan, ev.ErrorRaised,
)  # fmt: skip


def _rounds_of(calls: ModuleCalls, seq: int, made: ev.OpApplied | None) -> list[Round]:
    """Return the rounds at event `seq`; for a node, those of its op if they are inside the same rounds."""
    now = calls.rounds_at(seq)
    if made is None:
        return now
    then = calls.rounds_at(made.seq)
    here = {(id(one.run), one.number) for one in then}
    return then if all((id(one.run), one.number) in here for one in now) else now


def _rounds_text(rounds: list[Round]) -> str:
    """Return the text of the rounds of loops that have several: that of the training loop first, then the innermost."""
    shown = [one for one in rounds if one.run.total != 1]
    step = step_of(shown)
    if len(shown) == 1 and step is not None and (step.run.steps or step.run.passes):
        return _only_round_text(step)
    others = [one for one in reversed(shown) if one is not step]
    return say("join.comma").join(map(_round_text, ([] if step is None else [step]) + others))


def _only_round_text(one: Round) -> str:
    total = one.run.total
    if total is None:
        return say("place.round_so_far", round=one.number)
    return say("place.round", round=one.number, of=total)


def _round_text(one: Round) -> str:
    loop = re.sub(r"^(for .+?) in .*$", r"\1", one.run.text)
    total = one.run.total
    if total is None:
        return say("place.round_in_so_far", round=one.number, loop=loop)
    return say("place.round_in", round=one.number, of=total, loop=loop)
