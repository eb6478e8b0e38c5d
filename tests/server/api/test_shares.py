"""Protects short links: a shared run opens without running anything, and can be removed by who shared it only."""

from __future__ import annotations

import asyncio
import threading

import pytest

from backscope_server.api import card_picture
from backscope_server.api.lookup import find_session
from backscope_server.session.sessions import PoolFull

SOURCE = "print('<shared>')\n"


@pytest.fixture(scope="module")
def sharing(new_server, tmp_path_factory):
    async def draw(_self, _trace, _step):
        return b"a picture"

    folder = tmp_path_factory.mktemp("shares")
    with pytest.MonkeyPatch.context() as patch, new_server(shares=str(folder), share_bytes=20_000) as server:
        patch.setattr(card_picture.Drawer, "draw", draw)
        yield server, folder


def shared(server, session, **more):
    return server.http.post("/api/shares", json={"session": session, **more})


def finished(server, source=SOURCE):
    session = server.start(source)
    server.follow(session)
    return session


def test_a_shared_run_outlives_its_session_and_its_server(sharing, new_server):
    server, folder = sharing
    session = finished(server)
    log, _ = server.follow(session)
    answer = shared(server, session, step=1, title="A <b> & c", moment="select=node%3A1&note=1%3Aa")
    assert answer.status_code == 201
    kept = answer.json()
    assert kept["path"] == f"/s/{kept['share']}"
    assert len(kept["share"]) == 16
    card = server.http.get(kept["path"])
    assert (card.status_code, card.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert '<meta property="og:title" content="A &lt;b&gt; &amp; c · step 2">' in card.text
    link = f"/#run={kept['share']}&amp;shared=&amp;step=2&amp;select=node%3A1&amp;note=1%3Aa"
    assert f'content="0;url={link}"' in card.text
    server.http.delete(f"/api/sessions/{session}")
    assert server.follow(kept["share"])[0] == log
    server.http.delete(f"/api/sessions/{kept['share']}")  # A page that leaves it; the share stays.
    with new_server(shares=str(folder)) as other:
        assert other.follow(kept["share"])[0] == log


def test_it_is_gone_once_all_who_shared_it_have_removed_it(sharing):
    server, _ = sharing
    session = finished(server, "print('twice')\n")
    one, two = (shared(server, session).json() for _ in "12")
    assert one["share"] == two["share"]
    assert one["secret"] != two["secret"]
    path = f"/api/shares/{one['share']}/removal"
    assert server.http.post(path, json={"secret": "guessed"}).status_code == 404
    assert server.http.post(path, json={"secret": one["secret"]}).status_code == 204
    assert server.http.get(one["path"]).status_code == 200
    assert server.http.post(path, json={"secret": two["secret"]}).status_code == 204
    assert server.http.get(one["path"]).status_code == 404
    assert server.http.get(f"/api/sessions/{one['share']}").status_code == 404


def test_a_preview_has_a_picture_that_is_drawn_once(sharing, monkeypatch):
    server, _ = sharing
    drawn = []

    async def draw(_self, trace, step):
        drawn.append((len(trace) > 100, step))
        return b"a picture"

    monkeypatch.setattr(card_picture.Drawer, "draw", draw)
    kept = shared(server, finished(server, "print('pictured')\n"), step=1).json()
    assert f'og:image" content="{server.url}{kept["path"]}/picture.png"' in server.http.get(kept["path"]).text
    for _ in range(2):
        answer = server.http.get(f"{kept['path']}/picture.png")
        assert (answer.content, answer.headers["content-type"]) == (b"a picture", "image/png")
    assert drawn == [(True, 2)]
    assert server.http.get(f"/s/{'x' * 16}/picture.png").status_code == 404
    server.http.post(f"/api/shares/{kept['share']}/removal", json={"secret": kept["secret"]})
    assert server.http.get(f"{kept['path']}/picture.png").status_code == 404


def test_a_card_does_not_wait_for_its_picture(new_server, tmp_path, monkeypatch):
    begun = threading.Event()

    async def draw(_self, _trace, _step):
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(card_picture.Drawer, "draw", draw)
    monkeypatch.setattr(card_picture, "_PATIENCE_SECONDS", 0.01)
    with new_server(shares=str(tmp_path)) as server:
        session = finished(server)
        kept = [shared(server, session, step=step).json() for step in (0, 1)]
        assert begun.wait(60)
        assert list(server.app.state.card_pictures._waiting) == [one["share"] for one in kept]
        for one in kept:
            assert server.http.get(one["path"]).status_code == 200
            answer = server.http.get(f"{one['path']}/picture.png")
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")


def test_what_is_too_large_or_not_over_is_refused(sharing):
    server, folder = sharing
    before = sorted(folder.rglob("runs/*"))
    large = finished(server, "import random\nfor _ in range(3000): print(random.random())\n")
    assert shared(server, large).status_code == 413
    running = server.start("while True: pass")
    assert shared(server, running).status_code == 409
    server.http.post(f"/api/sessions/{running}/stop")
    assert shared(server, "nothing").status_code == 404
    assert sorted(folder.rglob("runs/*")) == before


def test_a_damaged_or_expired_one_is_not_there(sharing, new_server):
    server, folder = sharing
    kept = shared(server, finished(server, "print('old')\n")).json()
    with new_server(shares=str(folder), share_seconds=0.001) as other:
        assert other.http.get(kept["path"]).status_code == 404
        assert other.http.get(f"/api/sessions/{kept['share']}").status_code == 404
    kept = shared(server, finished(server, "print('damaged')\n")).json()
    (path,) = folder.rglob(f"runs/{kept['share']}")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert server.http.get(f"/api/sessions/{kept['share']}").status_code == 410


def test_one_that_was_opened_is_kept_no_longer_than_its_link(sharing, new_server, tmp_path):
    server, folder = sharing
    identity = shared(server, finished(server, "print('opened')\n")).json()["share"]
    settings = {"shares": str(folder), "storage": str(tmp_path)}
    with new_server(**settings) as other:
        other.follow(identity)
    with new_server(**settings, share_seconds=0.001) as other:
        assert other.http.get(f"/api/sessions/{identity}").status_code == 404


def test_all_who_open_a_shared_run_at_once_read_one_session(sharing, new_server, background):
    server, folder = sharing
    identity = shared(server, finished(server, "print('at once')\n")).json()["share"]
    with new_server(shares=str(folder)) as other:

        async def opened():
            return await asyncio.gather(*(find_session(other.app, identity) for _ in range(3)))

        assert len(set(background.start(opened()).result(60))) == 1


def test_a_shared_run_that_has_no_room_is_not_called_unknown(sharing, new_server, monkeypatch):
    server, folder = sharing
    identity = shared(server, finished(server, "print('no room')\n")).json()["share"]
    with new_server(shares=str(folder)) as other:

        async def add(_session, **_more):
            raise PoolFull("The store is full.")

        monkeypatch.setattr(other.app.state.sessions, "add", add)
        answer = other.http.get(f"/api/sessions/{identity}")
        assert (answer.status_code, answer.json()["error"]["message"]) == (503, "The store is full.")


def test_a_store_that_speaks_s3_serves_several_servers(new_server, s3_server):
    with new_server(**s3_server.settings) as server, new_server(**s3_server.settings) as other:
        session = finished(server, "print('in a bucket')\n")
        kept = shared(server, session, title="Bucket").json()
        assert "Bucket · step 1" in other.http.get(kept["path"]).text
        assert other.follow(kept["share"])[0] == server.follow(session)[0]
        answer = other.http.post(f"/api/shares/{kept['share']}/removal", json={"secret": kept["secret"]})
        assert answer.status_code == 204
        assert server.http.get(kept["path"]).status_code == 404


def test_a_store_that_does_not_answer_is_named(new_server, s3_server):
    with new_server(**{**s3_server.settings, "share_endpoint": "http://127.0.0.1:9"}) as server:
        session = finished(server)
        for answer in (shared(server, session), server.http.get("/api/sessions/abcdefghijklmnop")):
            assert answer.status_code == 503
            assert "s3://shared does not answer" in answer.json()["error"]["message"]
            assert "retry-after" in answer.headers


def test_a_link_is_short_where_the_server_says_so(new_server, tmp_path):
    for more, expected in (
        ({"shares": str(tmp_path)}, (True, True, False)),
        ({"storage": str(tmp_path)}, (True, False, False)),
        ({"shares": str(tmp_path), "pages_folder": str(tmp_path)}, (True, True, True)),
    ):
        with new_server(**more) as server:
            health = server.http.get("/api/health").json()
            assert (health["keeps_runs"], health["short_links"], health["hosted"]) == expected


def test_one_address_has_so_many_kept(new_server, tmp_path):
    with new_server(shares=str(tmp_path), address_shares=2) as server:
        kept = [shared(server, finished(server, f"print({number})")) for number in range(3)]
        assert [answer.status_code for answer in kept] == [201, 201, 429]
        assert "keeps 2 runs for links of one network address" in kept[2].json()["error"]["message"]
        assert "retry-after" not in kept[2].headers
    with new_server(shares=str(tmp_path), address_share_bytes=100) as server:
        answer = shared(server, finished(server, "print(3)"))
        assert answer.status_code == 429
        assert "keeps 100 bytes of runs" in answer.json()["error"]["message"]


def test_without_a_place_nothing_is_kept(new_server):
    with new_server(shares="off") as server:
        health = server.http.get("/api/health").json()
        assert (health["keeps_runs"], health["short_links"], health["hosted"]) == (False, False, False)
        answer = shared(server, finished(server))
        assert answer.status_code == 404
        assert "BACKSCOPE_SHARES" in answer.json()["error"]["message"]
