"""Protects the memory of a gateway: its copies of logs are bounded, and can be read again from Redis."""

from __future__ import annotations


def test_copies_beyond_the_bound_are_dropped_and_read_again(redis, fleet_on):
    source = "for i in range(200):\n    print(str(i) * 100)\n"
    with fleet_on(redis.url, kept=3, kept_bytes=400_000) as server:
        runs = [server.start(source) for _ in range(6)]
        logs = [server.follow(run)[0] for run in runs]
        mirrors = server.app.state.sessions._mirrors
        assert len(mirrors) <= 3
        assert mirrors.nbytes == sum(mirror.log.nbytes for mirror in mirrors) <= 400_000
        assert [server.follow(run)[0] for run in runs] == logs


def test_a_run_that_is_removed_is_removed_everywhere(redis, fleet_on):
    with fleet_on(redis.url) as server:
        session = server.start("while True: pass")
        assert server.http.delete(f"/api/sessions/{session}").status_code == 204
        assert server.http.get(f"/api/sessions/{session}").status_code == 404
