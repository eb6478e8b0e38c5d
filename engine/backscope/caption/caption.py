"""The caption: the sentences of a step, which name the actor, its numbers and the result in the reader's names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backscope.caption import backward, forward, hooks, retention
from backscope.caption.naming import Naming
from backscope.caption.run import Run
from backscope.caption.state import State
from backscope.caption.steps import Moment
from backscope.caption.words import SPACES, isolated
from backscope.protocol import events as ev
from backscope.protocol.sentences import say

_MOST_PRINTED = 80


def sentence(run: Run, moment: Moment) -> str:
    """Return the sentence of a moment."""
    naming = Naming(State(run, moment.last))
    after = run.events[moment.last + 1] if moment.last + 1 < len(run.events) else None
    # A node whose step ends before it has sent a gradient is about to run.
    if isinstance(moment.main, ev.NodeStarted) and isinstance(after, (ev.ErrorRaised, ev.RecomputationStarted)):
        return backward.about_to_run(moment.main, naming)
    text = _in_pass(moment.main, run.inside(moment), naming) or _outside(moment.main, run.inside(moment), naming)
    # Names of variables stay as they are.
    return text[0].upper() + text[1:] if text.startswith("the ") else text


def _in_pass(main: ev.Event, events: Sequence[ev.Event], naming: Naming) -> str:
    """Return the sentence of an event in or around a backward pass; empty for any other event."""
    match main:
        case ev.BackwardStarted():
            return backward.backward_started(main, naming)
        case ev.NodeStarted():
            return backward.node_ran(main, events, naming)
        case ev.GradientSent():
            receiver = naming.receiver(main.to_node, main.output_nr)
            return say("gradient_sent", node=naming.node(main.node), receiver=receiver)
        case ev.NodeFinished():
            return say("node_finished", node=naming.node(main.node))
        case ev.BufferFreed():
            return say("buffer_freed", node=naming.node(main.node), slot=main.slot)
        case ev.GradAccumulated():
            return backward.grad_accumulated(main, naming)
        case ev.GradientCaptured():
            return backward.gradient_captured(main, naming)
        case ev.GradCleared():
            return backward.grad_cleared(main, naming)
        case ev.BackwardFinished():
            return backward.backward_finished(main, naming)
        case ev.OptimizerStepped():
            return backward.optimizer_stepped(main, naming)
        case ev.HookRegistered():
            return hooks.registered(main, naming)
        case ev.ModuleHookRegistered():
            return say("module_hook_registered", hook=main.hook, module=main.module)
        case ev.HookRemoved():
            return hooks.removed(main, naming)
        case ev.HookRan():
            return hooks.ran(main, naming)
        case ev.SavedTensorPacked():
            return retention.packed(main, naming)
        case ev.SavedTensorUnpacked():
            return hooks.unpacked(main, naming)
        case ev.CheckpointEntered():
            return retention.checkpoint_entered(main)
        case ev.CheckpointLeft():
            return say("checkpoint_left")
        case ev.RecomputationStarted():
            return retention.recomputation_started(main, naming)
        case ev.RecomputationFinished():
            return retention.recomputation_finished(main, events, naming)
        case ev.TangentComputed():
            return retention.tangent_computed(main, naming)
    return ""


def _outside(main: ev.Event, events: Sequence[ev.Event], naming: Naming) -> str:
    """Return the sentence of an event outside of backward passes."""
    match main:
        case ev.ProgramStarted():
            return say("program_started", filename=main.filename)
        case ev.SourceAdded():
            return say("source_added", filename=main.filename)
        case ev.TensorCreated():
            return forward.tensor_created(main, naming)
        case ev.TensorNamed():
            return say("tensor_named", name=main.name, tensor=naming.tensor(main.tensor))
        case ev.TensorKept():
            return say("tensor_kept", holder=main.holder, tensor=naming.tensor(main.tensor))
        case ev.TensorMutated():
            return forward.tensor_mutated(main, naming)
        case ev.RequiresGradChanged():
            return forward.requires_grad_changed(main, naming)
        case ev.TensorReleased():
            return say("tensor_released", tensor=naming.tensor(main.tensor))
        case ev.NodeCreated():
            if main.tensor is None:
                return say("node_created.other", name=main.name)
            return say("node_created.leaf", leaf=naming.leaf(main.tensor), name=main.name)
        case ev.NodeReleased():
            return say("node_released", node=naming.node(main.node))
        case ev.OpApplied():
            return forward.op_applied(main, events, naming)
        case ev.ModuleDescribed() | ev.ModuleEntered():
            return say("module_entered", path=main.path)
        case ev.ModuleLeft():
            return say("module_left")
        case ev.TransformEntered():
            return say("transform_entered", transform=main.transform)
        case ev.TransformLeft():
            return say("transform_left")
        case ev.RoundStarted():
            return say("round_started", round=main.round, loop=main.text)
        case ev.LoopFinished():
            if main.rounds == 1:
                return say("loop_finished.one", rounds=main.rounds)
            return say("loop_finished.several", rounds=main.rounds)
        case ev.FunctionEntered():
            return say("function_entered", name=main.name)
        case ev.FunctionLeft():
            return say("function_left")
        case ev.GradModeChanged():
            return say("grad_mode_changed.on") if main.mode == "grad" else say("grad_mode_changed.off")
        case ev.GraphRebased():
            return say("graph_rebased", tensor=naming.tensor(main.tensor), node=main.node.name)
    return _of_program(main, events, naming)


def _of_program(main: ev.Event, events: Sequence[ev.Event], naming: Naming) -> str:
    """Return the sentence of the program's output, its warnings and errors, or of the debugger."""
    match main:
        case ev.OutputPrinted():
            return _printed(main.text)
        case ev.WarningRaised():
            message = isolated(main.message)
            if main.message.rstrip(SPACES).endswith((".", "!", "?", "”")):
                return say("warning_raised.sentence", category=main.category, message=message)
            return say("warning_raised.phrase", category=main.category, message=message)
        case ev.ErrorRaised():
            return _raised(main, events, naming.state.run)
        case ev.Paused():
            return say("paused.plain") if main.line is None else say("paused.line", line=main.line)
        case ev.Resumed():
            return say("resumed")
        case ev.ValueChanged():
            return say("value_changed", target=main.target, expression=main.expression.removesuffix("."))
        case ev.ProgramFinished():
            if main.status == "cut":
                return say("program_finished.cut")
            return say("program_finished.stopped") if main.status == "stopped" else say("program_finished.over")
    raise TypeError(f"{type(main).__name__} has no sentence")


def _printed(text: str) -> str:
    line, *more = text.strip(SPACES).split("\n")
    shown = f"{line[: _MOST_PRINTED - 1]}…" if len(line) > _MOST_PRINTED else line
    if more:
        return say("output_printed.lines", text=isolated(f"{shown} …"), count=len(more) + 1)
    return say("output_printed.line", text=isolated(shown)) if shown else say("output_printed.empty")


def _raised(event: ev.ErrorRaised, events: Sequence[ev.Event], run: Run) -> str:
    where = "" if event.line is None else say("error_raised.line", line=event.line)
    if event.stage == "syntax":
        where += "" if event.column is None else say("error_raised.column", column=event.column)
        return say("error_raised.syntax", message=isolated(event.message), where=where)
    if event.stage == "limit":
        return say("error_raised.stopped", where=where, cause=isolated(event.message))
    in_pass = False
    # The diagnosis has the fix; here it would leave no room for the cause.
    if event.diagnosis is not None:
        cause = isolated(event.diagnosis.cause)
    else:
        message = isolated(re.sub(r"([^.])\Z", r"\1.", event.message.strip(SPACES)))
        cause = say("error_raised.cause", type=event.type, message=message)
        in_pass = any(isinstance(one, ev.NodeStarted) for one in events)
    if event.seq in run.outcomes.caught:
        if in_pass:
            return say("error_raised.caught_in_pass", where=where, cause=cause)
        return say("error_raised.caught", where=where, cause=cause)
    if in_pass:
        return say("error_raised.stopped_in_pass", where=where, cause=cause)
    return say("error_raised.stopped", where=where, cause=cause)
