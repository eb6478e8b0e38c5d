"""What a book shows of a program or a lesson: the data of the page that plays it, and what PDF and EPUB print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from backscope import pictures
from backscope.docs import lesson
from backscope.docs.lesson import Part
from backscope.docs.options import BookError, Options
from backscope.docs.recording import Recorded, check, check_step, key_of, record, step_at
from backscope.ops.names.all import catalogue
from backscope.player.page_template import packed
from backscope.protocol.whole_file import whole_file


@dataclass(frozen=True)
class Playing:
    """A program or lesson of a book: `page` is the page that plays it, `about` its data, `traces` the files it plays.

    `key` is another one wherever anything of it is.
    """

    key: str
    page: str
    title: str
    about: str
    traces: list[Path]
    printed: list[Part]
    # A program that was to fail may have nothing to draw.
    may_be_bare: bool


def prepare(source: str, options: Options, *, folder: Path, cache: Path) -> Playing:
    """Return what is shown of a program, or of the lesson of the options; `folder` is the one of the document.

    Raises: BookError, OSError.
    """
    if options.lesson:
        if source.strip():
            raise BookError("a lesson has its programs in its own file: remove the program")
        file = folder / options.lesson
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        if not text and options.lesson.endswith(".md"):
            raise BookError(f"there is no lesson {file}")
        return _lesson(text, file.stem, options, cache, lambda line: f"{options.lesson}:{line}")
    recorded = record(source, cache)
    check(recorded, expects_error=options.expect_error)
    if options.predict:
        if options.at:
            step_at(recorded, options.at)
        text = lesson.question(source, recorded, options)
        return _lesson(text, "question", options, cache, lambda line: lesson.place_in_question(line, source, options))
    return _program(source, recorded, options)


@dataclass(frozen=True)
class Picture:
    """A picture: its file, its caption, and how wide the page draws it, in pixels."""

    path: Path
    caption: str
    width: int


def picture_of(playing: Playing, part: Part, cache: Path) -> Picture | None:
    """Return the picture of a part; None of a failed program with nothing to draw.

    Raises: BookError.
    """
    trace = playing.traces[part.trace]
    path = cache / f"{trace.stem}-{part.step or 'opening'}.png"
    said = path.with_suffix(".txt")
    if not path.exists() or not said.exists():
        try:
            drawn = pictures.png_of_step(trace, step=part.step)
        except pictures.PictureError as error:
            if playing.may_be_bare:
                return None
            raise BookError(str(error)) from error
        # What is there is taken for whole by the builds that follow.
        for file, content in ((path, drawn.content), (said, drawn.caption.encode())):
            with whole_file(file) as opened:
                opened.write(content)
    with path.open("rb") as opened:
        width = pictures.page_width(opened.read(20))
    return Picture(path, said.read_text(encoding="utf-8"), width)


def _program(source: str, recorded: Recorded, options: Options) -> Playing:
    step = step_at(recorded, options.at) if options.at else options.step
    if options.step is not None:
        check_step(recorded, options.step)
    moment = [] if step is None else [f"at={step - 1}"]
    about = {
        "name": options.title,
        "fragment": "&".join([*moment, f"theme={options.theme}"]),
        "ops": catalogue(),
    }
    said = [Part("output", text) for text in (recorded.printed, recorded.error) if text]
    return Playing(
        key=key_of(recorded.path.stem, str(step), options.theme, options.title),
        page="page",
        title=options.title or "A recorded program",
        about=packed(about),
        traces=[recorded.path],
        printed=[Part("code", source), *said, Part("picture", step=step)],
        may_be_bare=recorded.error is not None,
    )


def _lesson(text: str, name: str, options: Options, cache: Path, place: Callable[[int], str]) -> Playing:
    key, solved = lesson.solve(text, name, cache, place)
    traces = [cache / f"{key}-{number}.backscope" for number in range(len(solved.traces))]
    for path, trace in zip(traces, solved.traces, strict=True):
        with whole_file(path) as file:
            file.write(trace)
    return Playing(
        key=key_of(key, options.theme),
        page="lesson",
        title=options.title or solved.title,
        about=packed({**solved.about, "theme": options.theme}),
        traces=traces,
        printed=solved.printed,
        may_be_bare=False,
    )
