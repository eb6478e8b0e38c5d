"""Protects moments: those that a name means are found in golden streams, where their events are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from backscope.moments import moment_name, moment_search
from backscope.moments.moment_name import NotAName
from backscope.moments.moment_search import NotFound
from backscope.protocol import events as ev

STREAMS = sorted(
    path.stem for path in (Path(__file__).parents[2] / "golden").glob("*.jsonl") if path.stem != "captions"
)


def main(run, text):
    """Return the step that a moment is at, and its main event."""
    place = moment_search.find(run, text)
    moment = run.moments[place.step]
    assert moment.last == place.seq
    assert moment.first <= place.read_seq <= place.seq
    return place.step, moment.main


@pytest.mark.parametrize("stream", STREAMS)
def test_every_event_that_can_be_named_is_found_where_it_is(golden, stream):
    run = golden(stream)
    forms = {form.kind: form for form in moment_name.FORMS}
    for kind, occurrences in moment_search._KINDS.items():
        form = forms[kind]
        count: Counter[str] = Counter()
        for label, first, last in list(occurrences(run))[:60]:
            count[label] += 1
            event = form.written.replace(form.example, label) if form.example else form.written
            if form.pattern.fullmatch(event) is None:
                continue  # A name that no program can write, such as that of a lambda.
            number = f"{event} #{count[label]}"
            if run.index(first) > 0:
                assert moment_search.find(run, f"before {number}").step == run.index(first) - 1
            if "at" in form.when:
                assert moment_search.find(run, f"at {number}").step == run.index(first)
            if "after" in form.when:
                assert moment_search.find(run, f"after {number}").step == run.index(last)


@given(
    st.sampled_from([(form, when) for form in moment_name.FORMS for when in form.when]),
    st.none() | st.integers(1, 999),
    st.none() | st.integers(1, 999),
    st.none() | st.integers(1, 999),
    st.booleans(),
)
def test_a_name_has_what_is_written_in_it(written, number, in_pass, in_round, turned):
    form, when = written
    scopes = ["" if in_pass is None else f"in pass {in_pass}", "" if in_round is None else f"in round {in_round}"]
    parts = [when, form.written, "" if number is None else f"#{number}", *(scopes[::-1] if turned else scopes)]
    assert moment_name.parse("  ".join(parts)) == moment_name.MomentName(
        when=when, kind=form.kind, name=form.example, number=number or 1, in_pass=in_pass, in_round=in_round
    )


def test_the_start_and_the_end(golden):
    run = golden("11_accumulation")
    assert moment_search.find(run, "at the start").step == 0
    assert moment_search.find(run, "at the end").step == len(run.moments) - 1


def test_numbers_count_within_a_pass(golden):
    run = golden("11_accumulation")
    step, event = main(run, "after x accumulates in pass 2")
    assert isinstance(event, ev.GradAccumulated)
    assert event.after.values == [8]
    assert (step, event) == main(run, "after x accumulates #2")
    assert main(run, "before x accumulates #2")[0] == step - 1


def test_numbers_count_within_a_round(golden):
    run = golden("29_micro_batches")
    _, event = main(run, "after w accumulates in round 3")
    assert isinstance(event, ev.GradAccumulated)
    assert event.after.values == [1]
    step, event = main(run, "at line 9 in round 2")
    assert event.line == 9
    assert run.index(next(e.seq for e in run.events if isinstance(e, ev.RoundStarted) and e.round == 2)) <= step


def test_two_gradients_arrive_and_one_sum_is_accumulated(golden):
    run = golden("40_fan_in")
    first, second = main(run, "after x receives #1")[0], main(run, "after x receives #2")[0]
    assert first < second == main(run, "before x accumulates")[0]
    with pytest.raises(NotFound, match=r"^There is no moment 'after x accumulates #2': x accumulates happens once\.$"):
        moment_search.find(run, "after x accumulates #2")


def test_a_pass_is_from_its_start_to_its_end(golden):
    run = golden("40_fan_in")
    started = next(e for e in run.events if isinstance(e, ev.BackwardStarted))
    finished = next(e for e in run.events if isinstance(e, ev.BackwardFinished))
    assert moment_search.find(run, "before a pass").step == run.index(started.seq) - 1
    assert moment_search.find(run, "after a pass").step == run.index(finished.seq)


def test_an_error_is_a_moment(golden):
    run = golden("15_in_place_error")
    _, event = main(run, "at the error")
    assert isinstance(event, ev.ErrorRaised)


@pytest.mark.parametrize(
    ("stream", "text", "message"),
    [
        ("40_fan_in", "before MulBackward #1",
         "There is no moment 'before MulBackward #1'. Did you mean MulBackward0? The run has: "
         "AddBackward0, MulBackward0, PowBackward0, AccumulateGrad."),
        ("40_fan_in", "after z is set",
         "There is no moment 'after z is set'. The run has: x is set, a is set, b is set, y is set."),
        ("40_fan_in", "after a pass in pass 2", "There is no pass 2: the run has 1 backward pass."),
        ("40_fan_in", "after y is set in round 2", "There is no round 2: the run has no loop with events in it."),
        ("29_micro_batches", "after w accumulates in round 9",
         "There is no round 9: no loop of the run has more than 3."),
        ("40_fan_in", "at line 1", "There is no moment 'at line 1': the lines with steps are 3, 5, 6, 7, 9, 10, "
            "counted from the program's first."),
        ("40_fan_in", "after an optimizer step",
         "There is no moment 'after an optimizer step': nothing of that kind happens."),
        ("02_no_backward", "at the error", "There is no moment 'at the error': nothing of that kind happens."),
    ],
)  # fmt: skip
def test_a_moment_that_is_not_there_is_answered_by_those_that_are(golden, stream, text, message):
    with pytest.raises(NotFound) as found:
        moment_search.find(golden(stream), text)
    assert str(found.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("MulBackward0",
         "'MulBackward0' is no moment: it begins with before, at or after, as `after w accumulates #2`."),
        ("at MulBackward0", "'at MulBackward0' is no moment: write before or after 'MulBackward0', not at."),
        ("after y is sett", "'y is sett' is no event that a moment can name. Did you mean y is set? There are: "
         + ", ".join(form.written for form in moment_name.FORMS) + "."),
        ("after w changes in pass 1 in pass 2",
         "'after w changes in pass 1 in pass 2' names two passes or two rounds: keep one of each."),
    ],
)  # fmt: skip
def test_a_text_that_names_no_moment_says_what_to_write(text, message):
    with pytest.raises(NotAName) as found:
        moment_name.parse(text)
    assert str(found.value) == message


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("after größe is set", "größe"),
        ("after gro\u0308ße is set", "größe"),
        ("after ﬁt.wéight changes", "fit.wéight"),
        ("before 重み accumulates", "重み"),
        ("after की receives", "की"),
        ("after Übung", "Übung"),
    ],
)
def test_a_name_may_have_any_letter_of_a_variable(text, name):
    assert moment_name.parse(text).name == name


@pytest.mark.parametrize("text", ["after ¹x is set", "after -x is set", "after x- is set", "at line ٧", "after x #٢"])
def test_a_name_with_other_signs_is_none(text):
    with pytest.raises(NotAName):
        moment_name.parse(text)
