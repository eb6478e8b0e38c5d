"""Protects readers of strangers' programs: whatever text an event carries is shown as text.

The traces are forged from recorded runs: every text that the protocol's schema allows anywhere, in every kind of event,
has markup at its end, in the place where it would be markup if anybody took it for that.
"""

from __future__ import annotations

import gzip
import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Request, expect

REPOSITORY = Path(__file__).parents[2]
SCHEMA = json.loads((REPOSITORY / "web" / "src" / "protocol" / "schema.json").read_text())
KINDS = SCHEMA["discriminator"]["mapping"]
HEADER = {"backscope_trace": 1, "protocol": SCHEMA["protocol"]}

MARKUP = (
    "'\"><img class=forged src=/forged.png onerror=window.forged=1>"
    "<script class=forged>window.forged=1</script><svg class=forged onload=window.forged=1></svg>"
    "<iframe class=forged srcdoc='<script>parent.forged=1</script>'></iframe>"
    "<a class=forged href=javascript:window.forged=1>forged</a><style class=forged>*{display:none}</style>"
    "\\href{javascript:window.forged=1}{x}\\includegraphics{/forged.png}{{forged}}${forged}"
)

# Goes through the run as a reader would, only faster: to moments all over it, and to every thing on the stage there.
VISIT = """async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
  const slider = document.querySelector('[role=slider][aria-label=Timeline]');
  const press = (key) => slider.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const seen = { moments: 0, things: 0, texts: 0, forged: [] };
  const look = () => {
    for (const made of document.querySelectorAll('.forged, a[href^="javascript:"], [onerror], [onload], iframe')) {
      seen.forged.push(made.outerHTML.slice(0, 200));
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (walker.currentNode.data.includes('class=forged')) seen.texts += 1;
  };
  const things = async () => {
    const count = document.querySelectorAll('ul[aria-label=Graph] button').length;
    for (let index = 0; index < Math.min(count, 40); index += 1) {
      document.querySelectorAll('ul[aria-label=Graph] button')[index]?.click();
      await frame();
      seen.things += 1;
      look();
    }
  };
  press('Home');
  const last = Number(slider.getAttribute('aria-valuemax'));
  const stride = Math.max(1, Math.floor(last / 40));
  for (let moment = 0; moment <= last; moment += 1) {
    press('ArrowRight');
    if (moment % stride) continue;
    await frame();
    seen.moments += 1;
    look();
  }
  press('End');
  await frame();
  await things();
  look();
  return { ...seen, ran: window.forged !== undefined };
}"""


def resolved(rule: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in rule:
        rule = SCHEMA["$defs"][rule["$ref"].rsplit("/", 1)[1]]
    return rule


def fits(rule: dict[str, Any], value: Any) -> bool:
    """Whether a value is of the type that a rule speaks of; enough to choose between alternatives."""
    rule = resolved(rule)
    if "anyOf" in rule:
        return any(fits(one, value) for one in rule["anyOf"])
    if "enum" in rule:
        return value in rule["enum"]
    types = {"string": str, "array": list, "object": dict, "boolean": bool, "null": type(None)}
    kind = rule.get("type")
    if kind in ("integer", "number"):
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return kind is None or isinstance(value, types[kind])


def forged(rule: dict[str, Any], value: Any) -> Any:
    """The value with markup in every text of it that is free; names stay apart from each other, so references hold."""
    rule = resolved(rule)
    if "anyOf" in rule:
        return forged(next(one for one in rule["anyOf"] if fits(one, value)), value)
    if isinstance(value, str):
        return value if "enum" in rule else value + MARKUP
    if isinstance(value, list):
        return [forged(rule.get("items", {}), item) for item in value]
    if isinstance(value, dict):
        more = rule.get("additionalProperties")
        return {
            name: forged(rule.get("properties", {}).get(name, more if isinstance(more, dict) else {}), field)
            for name, field in value.items()
        }
    return value


def made_up(rule: dict[str, Any]) -> Any:
    """Any value that a rule allows."""
    rule = resolved(rule)
    if "anyOf" in rule:
        return made_up(max(rule["anyOf"], key=lambda one: resolved(one).get("type") != "null"))
    if "enum" in rule:
        return rule["enum"][0]
    if rule.get("type") == "object" and "properties" in rule:
        return {name: made_up(rule["properties"][name]) for name in rule["properties"]}
    return {"string": "", "array": [], "object": {}, "boolean": False, "null": None}.get(rule.get("type", ""), 1)


def texts(rule: dict[str, Any], value: Any) -> Iterator[str]:
    """Every text in a value that is not one of a fixed list."""
    if isinstance(value, str) and value.endswith(MARKUP):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(rule, part)


def recorded() -> dict[str, list[dict[str, Any]]]:
    """Recorded runs, as few as have every kind of event between them that recorded runs have."""
    runs = {
        path.stem: [json.loads(line) for line in path.read_text().splitlines()]
        for path in sorted((REPOSITORY / "tests" / "golden").glob("*.jsonl"))
    }
    kinds = {name: {event["kind"] for event in run} for name, run in runs.items()}
    chosen: dict[str, list[dict[str, Any]]] = {}
    missing = set().union(*kinds.values())
    while missing:
        name = max(kinds, key=lambda one: (len(kinds[one] & missing), -len(runs[one])))
        chosen[name] = runs[name]
        missing -= kinds[name]
    return chosen


RUNS = recorded()


def trace(events: list[dict[str, Any]]) -> bytes:
    """Events with forged texts as a trace file."""
    lines = [HEADER, *(forged({"$ref": KINDS[event["kind"]]}, event) for event in events)]
    for line in lines[1:]:
        line["kind"] = line["kind"].removesuffix(MARKUP)
    if lines[-1].get("kind") == "program_finished":
        lines[-1]["status"] = lines[-1]["status"].removesuffix(MARKUP)
    return gzip.compress("\n".join(json.dumps(line) for line in lines).encode())


@pytest.fixture
def requests(page: Page, server) -> list[str]:  # type: ignore[no-untyped-def]
    """Return the addresses of other servers, or with forged text in them, that the page requested."""
    found: list[str] = []

    def asked(request: Request) -> None:
        at_home = request.url.startswith((server.address, f"ws://127.0.0.1:{server.port}", "blob:", "data:"))
        if not at_home or "forged" in request.url:
            found.append(request.url)

    page.on("request", asked)
    return found


def visit(page: Page) -> None:
    """Goes everywhere in the run that is shown and asserts that nothing was taken for markup."""
    seen = page.evaluate(VISIT)
    assert seen["forged"] == []
    assert not seen["ran"]
    assert seen["moments"] > 0
    assert seen["texts"] > 0, "the forged texts never came to the page"


def test_the_recorded_runs_have_texts_in_nearly_every_kind() -> None:
    kinds = {event["kind"] for run in RUNS.values() for event in run}
    assert len(kinds) > 0.8 * len(KINDS)


@pytest.mark.parametrize("name", RUNS)
def test_a_forged_trace_is_text(
    open_page: Callable[[str], Page], requests: list[str], name: str, drop: Callable[[str, bytes], None]
) -> None:
    page = open_page("")
    drop(f"{MARKUP.replace('/', '')}.backscope", trace(RUNS[name]))
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("class=forged")
    visit(page)
    assert requests == []


def test_kinds_of_events_that_no_recorded_run_has_are_text(
    open_page: Callable[[str], Page], requests: list[str], drop: Callable[[str, bytes], None]
) -> None:
    base = RUNS[next(iter(RUNS))]
    have = {event["kind"] for run in RUNS.values() for event in run}
    page = open_page("")
    for kind in sorted(set(KINDS) - have):
        event = {**made_up({"$ref": KINDS[kind]}), "kind": kind}
        start = {**base[0], "source": f"# with {kind}\n{base[0]['source']}"}
        run = [{**one, "seq": seq} for seq, one in enumerate([start, *base[1:-1], event, base[-1]])]
        drop(f"{kind}.backscope", trace(run))
        expect(page.get_by_role("textbox", name="Program")).to_contain_text(f"# with {kind}")
        page.get_by_role("slider", name="Timeline").press("End")
        assert page.evaluate("window.forged") is None
        assert page.locator(".forged").count() == 0
    assert requests == []


def test_a_forged_trace_is_text_by_way_of_the_server_too(
    page: Page,
    server,  # type: ignore[no-untyped-def]
    requests: list[str],
) -> None:
    name = max(RUNS, key=lambda one: len({event["kind"] for event in RUNS[one]}))
    asked = urllib.request.Request(f"{server.address}/api/traces", trace(RUNS[name]), server.headers)
    with urllib.request.urlopen(asked) as answer:
        session = json.load(answer)["session"]
    page.goto(f"{server.address}/?session={session}")
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("class=forged")
    visit(page)
    assert requests == []


def test_what_a_program_says_is_text(run_program: Callable[..., Page], requests: list[str]) -> None:
    page = run_program(
        f"import torch, warnings\nmarkup = {MARKUP!r}\n"
        "print(markup)\nwarnings.warn(markup)\n"
        "x = torch.tensor(2.0, requires_grad=True)\n"
        "class Forged(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g\n"
        "Forged.__name__ = markup\n"
        "y = Forged.apply(x)\ny.backward()\n"
        "raise type(markup, (Exception,), {})(markup)\n"
    )
    visit(page)
    assert requests == []


@pytest.mark.parametrize(
    "address",
    [
        "#example=<img class=forged src=/forged.png onerror=window.forged=1>",
        "#code=javascript:window.forged=1",
        "#code=PGltZyBjbGFzcz1mb3JnZWQ-",
        "#select=<img class=forged>&at=<svg onload=window.forged=1>",
        "?session=<img class=forged src=/forged.png onerror=window.forged=1>",
        "?session=javascript:window.forged=1#run=javascript:window.forged=1",
        "javascript:window.forged=1",
        "<script>window.forged=1</script>",
    ],
)
def test_an_address_is_text(page: Page, server, requests: list[str], address: str) -> None:  # type: ignore[no-untyped-def]
    page.goto(f"{server.address}/{address}")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    # Either a program was opened, or the page says why not.
    opened = page.locator("[role=slider][aria-label=Timeline]:not([aria-valuemax='0'])")
    expect(opened.or_(page.locator(".notices > *")).first).to_be_visible()
    assert page.evaluate("window.forged") is None
    assert page.locator(".forged, a[href^='javascript:']").count() == 0
    assert [url for url in requests if "/api/sessions/" not in url and not url.startswith(server.address)] == []


ATTEMPTS = [
    "document.createElement('p').innerHTML = 'x'",
    "document.body.insertAdjacentHTML('beforeend', '<p>')",
    "document.createElement('script').text = 'window.forged = 1'",
    "new Worker('/forged.js')",
    "document.createElement('iframe').srcdoc = 'x'",
]


def test_what_would_take_text_for_markup_or_code_is_not_possible(browser: Browser, server) -> None:  # type: ignore[no-untyped-def]
    """The page's policy refuses such code."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.address)
    for attempt in ATTEMPTS:
        with pytest.raises(Error, match=r"Trusted|EvalError|Content Security Policy"):
            page.evaluate(f"() => {{ {attempt} }}")
    context.close()
