"""Protects the exit statuses of `backscope`, which scripts rely on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import pytest

from backscope_server.api import page
from backscope_server.command import cli

COMMAND = [sys.executable, "-m", "backscope_server"]

PROGRAMS = [
    ("print('over')\n", 0),
    ("raise ValueError('no')\n", 1),
    ("x = = 1\n", 1),
    ("import sys\nsys.exit()\n", 0),
    ("import sys\nsys.exit(7)\n", 7),
    ("import sys\nsys.exit('words')\n", 1),
    ("import sys\nsys.exit(256 + 3)\n", 3),
    ("raise KeyboardInterrupt\n", 130),
]


@pytest.mark.parametrize(("source", "status"), PROGRAMS)
def test_run_exits_with_the_status_of_the_program(source, status, tmp_path):
    (tmp_path / "a.py").write_text(source)
    assert cli.main(["run", str(tmp_path / "a.py")]) == status


@pytest.mark.parametrize(("commands", "status"), [("end", 7), ("end\nquit", 7), ("quit", 0), ("next\nquit", 0)])
def test_debug_exits_with_the_status_of_the_program_or_0_before_its_end(commands, status, tmp_path):
    (tmp_path / "a.py").write_text("import sys\nsys.exit(7)\n")
    done = subprocess.run(
        [*COMMAND, "debug", str(tmp_path / "a.py")], input=f"{commands}\n", capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["run", "{folder}/absent.py"], 2),
        (["debug", "{folder}/absent.py"], 2),
        (["debug", "--commands", "{folder}/absent.txt", "{folder}/a.py"], 2),
        (["run", "{folder}/a.py", "--trace", "{folder}/absent/b.backscope"], 2),
        (["open", "{folder}/absent.backscope", "--no-browser"], 1),
        (["export", "{folder}/absent.backscope"], 1),
        (["serve", "--port", "70000"], 2),
    ],
)
def test_a_missing_file_or_port_exits_with_2_or_1(arguments, status, tmp_path):
    (tmp_path / "a.py").write_text("print('over')\n")
    assert cli.main([argument.format(folder=tmp_path) for argument in arguments]) == status


@pytest.mark.parametrize("arguments", [["swerve"], ["run"], ["run", "--seed", "x", "a.py"], ["serve", "--swift"]])
def test_an_invalid_command_line_exits_with_2(arguments):
    with pytest.raises(SystemExit) as left:
        cli.main(arguments)
    assert left.value.code == 2


def test_no_command_exits_with_2():
    assert cli.main([]) == 2


def test_ctrl_c_exits_with_130(tmp_path):
    (tmp_path / "a.py").write_text("print('on', flush=True)\nwhile True: pass\n")
    with subprocess.Popen(
        [*COMMAND, "run", str(tmp_path / "a.py")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "on\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert said.endswith("KeyboardInterrupt\n")


def test_a_closed_output_exits_with_1(tmp_path):
    (tmp_path / "a.py").write_text("while True: print('more' * 1000)\n")
    with subprocess.Popen(
        [*COMMAND, "run", str(tmp_path / "a.py")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert "BrokenPipeError" in process.stderr.read()
        assert process.wait(timeout=120) == 1


@pytest.mark.skipif(not page.is_built(), reason="the page is not built here; tests/packaging builds it")
@pytest.mark.parametrize(("ending", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_stopped_server_exits_with_0_or_by_its_signal(ending, status, tmp_path):
    """A shell shows 143 for an end by SIGTERM."""
    with subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BACKSCOPE_STORAGE": str(tmp_path), "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert re.search(r"http://\S+", line), line
        process.send_signal(ending)
        _, said = process.communicate(timeout=120)
    assert process.returncode == status
    assert "Traceback" not in said
