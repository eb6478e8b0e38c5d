"""Protects programs from the sandbox's layers: the engine's own tests pass inside it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from backscope_server.sandbox.launcher import Launcher
from backscope_server.sandbox.limits import Limits
from backscope_server.session.program import Program
from backscope_server.session.session import Session

HERE = Path(__file__).parent

THREADS = "starts threads"
PROCESSES = "starts processes"
FILES = "writes and reads files"
SOURCES = "reads programs or the engine's own folders from disk"

NEEDS = {
    "autograd/modes/test_grad_mode.py::test_each_thread_has_its_own": THREADS,
    "autograd/modes/test_grad_mode.py::test_threads_run_backward_side_by_side": THREADS,
    "autograd/modes/test_inference_mode.py::test_mode_is_the_threads_own": THREADS,
    "autograd/saved/test_saved_hooks.py::test_hooks_are_the_threads_own": THREADS,
    "runtime/test_malloc.py::test_freed_memory_is_used_again": PROCESSES,
    "recorder/test_pending_values.py::test_the_log_does_not_depend_on_when_it_drains": SOURCES,
    "runtime/test_listener.py::test_what_the_engine_calls_is_a_moment": SOURCES,
    "test_host_process.py": PROCESSES,
    "testing/test_plugin.py": PROCESSES,
    "moments/test_moment_search.py": SOURCES,
    "notebook/test_magic.py::test_a_cell_has_its_number_in_errors": PROCESSES,
    "notebook/test_magic.py::test_an_error_shows_the_lines_of_the_cell": PROCESSES,
    "notebook/test_magic.py::test_every_option_is_documented": SOURCES,
    "notebook/test_widget.py": SOURCES,
    "player/test_cell.py": SOURCES,
    "test_imports.py": PROCESSES,
    "torch/test_missing.py::test_every_page_tells_of_missing_names": SOURCES,
    "torch/test_missing.py::test_page_that_a_program_loads": SOURCES,
    "torch/test_missing.py::test_page_that_was_not_imported": SOURCES,
    "tensor/test_overrides.py::test_a_class_that_is_no_tensor_takes_functions_over": PROCESSES,
    "tensor/test_overrides.py::test_a_comment_takes_nothing_over": PROCESSES,
    "tensor/test_overrides.py::test_a_mode_sees_what_the_program_calls_and_not_the_steps_inside": PROCESSES,
    "tensor/test_overrides.py::test_a_program_that_fails_is_noticed": PROCESSES,
    "tensor/test_overrides.py::test_modes_and_leaving_alone_are_of_one_thread": PROCESSES,
    "tensor/test_overrides.py::test_what_a_function_calls_back_is_the_programs_own": PROCESSES,
    "tensor/test_overrides.py::test_what_another_thread_runs_hides_nothing": PROCESSES,
    "program/test_flush_timer.py::test_a_handler_that_is_not_of_python_is_no_failure": THREADS,
    "program/test_flush_timer.py::test_a_long_program_is_written_where_the_system_has_no_timer": THREADS,
    "program/test_flush_timer.py::test_a_signal_that_another_thread_handles_late_does_nothing": PROCESSES,
    "program/test_flush_timer.py::test_a_timer_calls_in_the_main_thread_rests_and_leaves_the_signal_as_it_was": THREADS,
    "program/test_flush_timer.py::test_there_is_none_in_another_thread": THREADS,
    "runtime/test_process.py::test_threads_of_the_program_warn_of_no_infinities": THREADS,
    "runtime/test_syntax_tree.py::test_threads_may_parse_at_once": THREADS,
    "runtime/test_syntax_tree.py::test_a_handler_of_a_signal_may_parse_where_its_thread_does": THREADS,
    "program/test_own_modules.py": FILES,
    "program/test_recording.py": FILES,
    "program/test_recording_errors.py": FILES,
    "program/test_recording_surroundings.py": FILES,
    "program/test_stops_in_modules.py": FILES,
    "protocol/test_bounds.py::test_what_the_engine_records_passes_unchanged": SOURCES,
    "protocol/test_document.py::test_the_committed_document_is_current": SOURCES,
    "protocol/test_events.py::test_the_union_has_every_kind": SOURCES,
    "protocol/test_trace.py": FILES,
    "protocol/test_whole_file.py": FILES,
    "recorder/test_module_calls.py::test_the_parameters_of_the_example_of_resnet_have_names_of_their_own": SOURCES,
    "diagnosis/why/test_budget.py::test_the_time_of_a_thread_is_its_own": THREADS,
}
"""Tests of the engine that cannot work in a child, each with what it needs; a file where it all does."""


LIMITS = Limits(
    wall_seconds=1700, cpu_seconds=1700, memory_bytes=4 << 30, output_bytes=1 << 26, events=1_000_000,
    log_bytes=1 << 30, event_bytes=1 << 23,
)  # fmt: skip


def test_the_engines_tests_pass_inside():
    async def check() -> str:
        launcher = Launcher("engine_inside", folders=(str(HERE),))
        await launcher.start()
        session = Session()
        session.start(Program(source="# run the engine's tests"), LIMITS, launcher)
        await session.over()
        await launcher.close()
        events = [json.loads(line) for line in session.log.lines]
        assert session.status == "ok", events[-2]["message"]
        return "".join(event["text"] for event in events if event["kind"] == "output_printed")

    rows = [line.split("\t") for line in asyncio.run(check()).splitlines()]
    outcomes: dict[str, set[str]] = {}
    for outcome, name, _reason in rows:
        outcomes.setdefault(name.partition("[")[0].removeprefix("tests/engine/"), set()).add(outcome)
    failed = {name for name, found in outcomes.items() if "failed" in found}
    needy = {name for name in failed if name in NEEDS or name.partition("::")[0] in NEEDS}
    assert {row[1]: row[2] for row in rows if row[0] == "failed" and not any(name in row[1] for name in needy)} == {}
    met = needy | {name.partition("::")[0] for name in needy}
    assert set(NEEDS) - met == set(), "these work in a child by now, or are no longer there"
    assert sum(row[0] == "passed" for row in rows) > 4500
