"""Protects the way through a lesson, from its first page to its last: by buttons, keys, history and links."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from accessibility import Checker
from page_server import Server
from playwright.sync_api import Browser, Locator, Page, Route, expect
from shown_lesson import PHONE, lesson, said


def field(page: Page) -> Locator:
    return page.get_by_label("x.grad, your answer")


def write(page: Page, text: str) -> None:
    """Replace the program in the editor."""
    program = page.get_by_role("textbox", name="Program")
    program.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)
    expect(program).to_contain_text(text.splitlines()[2])


PROGRAM = """import torch

x = torch.tensor({x}, requires_grad=True)
a = x ** 2
b = 3 * x
y = a + b
y.backward()
"""


def test_a_lesson_is_taken_from_its_first_page_to_its_end(
    open_page: Callable[[str], Page],
    checker: Checker,
) -> None:
    page = open_page("#lesson=02_chain_rule")
    expect(lesson(page).get_by_role("heading", name="Two paths to one leaf").last).to_be_visible()
    expect(said(page)).to_contain_text("Page 1 of 10")
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("a = x ** 2")
    checker.check("the first page of a lesson")
    lesson(page).get_by_role("button", name="Begin").click()
    expect(said(page)).to_contain_text("two arrows lead to it")
    expect(page.get_by_test_id("caption")).to_contain_text("gives y = 10")
    lesson(page).get_by_role("button", name="Next", exact=True).click()
    expect(said(page)).to_contain_text("The pass begins with 1")
    lesson(page).get_by_role("button", name="Next", exact=True).click()

    # A question that is skipped gives its answer, and goes to its moment.
    expect(field(page)).to_be_visible()
    lesson(page).get_by_role("button", name="Skip").click()
    expect(said(page)).to_contain_text("The answer. A gradient that arrives is kept")
    expect(page.get_by_test_id("caption")).to_contain_text("MulBackward0")
    lesson(page).get_by_role("button", name="Next", exact=True).click()

    field(page).fill("12")
    field(page).press("Enter")
    expect(said(page)).to_contain_text("Not quite. 4 times 3: slopes are multiplied along one path.")
    field(page).fill("7")
    field(page).press("Enter")
    expect(said(page)).to_contain_text("Right. 4 comes through a and 3 through b")
    lesson(page).get_by_role("button", name="Next", exact=True).click()

    expect(said(page)).to_contain_text("Your turn: Change one number")
    write(page, PROGRAM.format(x="3.0"))
    lesson(page).get_by_role("button", name="Run it").click()
    expect(said(page)).to_contain_text("Not yet. Close: with x at 3")
    checker.check("a change that does not reach its aim")
    write(page, PROGRAM.format(x="4.0"))
    lesson(page).get_by_role("button", name="Run it").click()
    expect(said(page)).to_contain_text("Reached. 2x + 3 is 11 where x is 4")
    for said_there in ("two such ops come one after the other", "There is one path", "What is x.grad?"):
        lesson(page).get_by_role("button", name="Next", exact=True).click()
        expect(said(page)).to_contain_text(said_there)
    field(page).fill("10 * 5")
    field(page).press("Enter")
    expect(said(page)).to_contain_text("Right. 10 times 5.")
    lesson(page).get_by_text("What has this to do with the chain rule?").click()
    expect(lesson(page).get_by_text("It is the chain rule.")).to_be_visible()
    lesson(page).get_by_role("button", name="Next", exact=True).click()

    expect(lesson(page)).to_contain_text("Slopes along a path are multiplied")
    expect(lesson(page)).to_contain_text("You solved 3 of 4.")
    checker.check("the last page of a lesson")
    lesson(page).get_by_role("button", name="Next lesson: Which node runs next").click()
    expect(page).to_have_url(re.compile(r"#.*lesson=03_order"))
    expect(lesson(page)).to_contain_text("Which node runs next")

    # What was done is kept in the browser.
    page.reload()
    page.get_by_role("button", name="Learn").click()
    expect(page.get_by_role("option", name=re.compile("Two paths to one leaf.*done"))).to_be_visible()


def test_the_history_of_the_browser_turns_pages_and_an_address_leads_to_one(open_page: Callable[[str], Page]) -> None:
    page = open_page("#lesson=02_chain_rule&page=2")
    expect(said(page)).to_contain_text("Page 2 of 10")
    expect(page.get_by_test_id("caption")).to_contain_text("gives y = 10")
    page.keyboard.press("PageDown")
    expect(said(page)).to_contain_text("Page 3 of 10")
    page.keyboard.press("PageDown")
    expect(field(page)).to_be_visible()
    page.go_back()
    expect(said(page)).to_contain_text("Page 3 of 10")
    expect(field(page)).to_have_count(0)
    page.go_forward()
    expect(field(page)).to_be_visible()
    page.reload()
    expect(field(page)).to_be_visible()
    # The run has begun: another page would close its socket, which the browser reports while it is not open yet.
    expect(page.get_by_role("slider", name="Timeline")).not_to_have_attribute("aria-valuemax", "0")
    page.go_back()
    expect(said(page)).to_contain_text("Page 3 of 10")
    page.keyboard.press("PageUp")
    expect(said(page)).to_contain_text("Page 2 of 10")
    expect(page.get_by_test_id("caption")).to_contain_text("gives y = 10")


def test_the_last_lesson_leads_to_one_that_is_not_taken_yet(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    page.evaluate("""async () => {
      const lessons = await (await fetch('/api/lessons')).json();
      const taken = lessons.filter(({ name }) => name !== '04_leaves');
      const progress = taken.map(({ name }) => [name, { page: 9, pages: 9, finished: true, solved: [] }]);
      localStorage.setItem('backscope.lessons', JSON.stringify(Object.fromEntries(progress)));
    }""")
    page.goto("about:blank")
    open_page("#lesson=17_training&page=99")
    page.get_by_role("button", name="Learn").click()
    expect(page.get_by_role("group", name=re.compile("16 of 17 done"))).to_be_visible()
    page.keyboard.press("Escape")
    lesson(page).get_by_role("button", name="Next lesson: Where gradients stay").click()
    expect(said(page)).to_contain_text("Page 1 of")
    page.evaluate("location.hash = 'lesson=04_leaves&page=99'")
    expect(lesson(page)).to_contain_text("You have taken all 17 lessons.")


def test_a_program_that_is_edited_by_the_way_can_be_brought_back(open_page: Callable[[str], Page]) -> None:
    page = open_page("#lesson=02_chain_rule&page=2")
    expect(page.get_by_test_id("caption")).to_contain_text("gives y = 10")
    write(page, PROGRAM.format(x="5.0"))
    expect(lesson(page)).to_contain_text("You changed the program.")
    lesson(page).get_by_role("button", name="Bring it back").click()
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("torch.tensor(2.0")
    expect(lesson(page)).not_to_contain_text("You changed the program.")


@pytest.mark.parametrize("expected_console", [["Failed to load resource"]])
def test_a_lesson_that_does_not_come_says_so_and_can_be_fetched_again(page: Page, server: Server) -> None:
    def fail(route: Route) -> None:
        route.abort()

    page.route("**/api/lessons/02_chain_rule", fail)
    page.goto(f"{server.address}/#lesson=02_chain_rule")
    expect(lesson(page).get_by_role("alert")).to_be_visible()
    page.unroute("**/api/lessons/02_chain_rule", fail)
    lesson(page).get_by_role("button", name="Try again").click()
    expect(said(page)).to_contain_text("Page 1 of 10")
    page.evaluate("location.hash = 'lesson=no_such_lesson'")
    expect(lesson(page).get_by_role("alert")).to_contain_text("no_such_lesson")
    lesson(page).get_by_role("button", name="Close the lesson").last.click()
    expect(lesson(page)).to_have_count(0)
    expect(page.get_by_role("textbox", name="Program")).to_be_visible()


@pytest.mark.parametrize("context_options", [PHONE])
def test_a_phone_has_the_stage_the_text_and_the_way_on_in_one_view(
    open_page: Callable[[str], Page],
    checker: Checker,
) -> None:
    page = open_page("#lesson=02_chain_rule&page=2")
    expect(said(page)).to_contain_text("two arrows lead to it")
    following = lesson(page).get_by_role("button", name="Next", exact=True)
    for _ in range(2):
        expect(following).to_be_in_viewport(ratio=1)
        following.tap()
    expect(field(page)).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("region", name="Stage")).to_be_in_viewport()
    checker.check("a question on a phone")
    field(page).fill("None")
    field(page).press("Enter")
    expect(said(page)).to_contain_text("Right.")
    checker.check("an answer on a phone")


def test_a_lesson_is_taken_where_the_browser_refuses_storage(browser: Browser, server: Server) -> None:
    context = browser.new_context()
    context.add_cookies(Server.cookies)
    context.add_init_script("""for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        configurable: true,
        get() { throw new DOMException('denied', 'SecurityError'); },
      });""")
    page = context.new_page()
    page.goto(f"{server.address}/#lesson=02_chain_rule")
    lesson(page).get_by_role("button", name="Begin").click()
    expect(said(page)).to_contain_text("Page 2 of 10")
    # The progress lasts as long as the page.
    page.get_by_role("button", name="Learn").click()
    expect(page.get_by_role("option", name=re.compile("Two paths to one leaf.*2 of 10"))).to_be_visible()
    context.close()
