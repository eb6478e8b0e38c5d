"""Protects that what one address may do is limited at all gateways together."""

from __future__ import annotations

import contextlib

import pytest
from fleet_processes import FleetProcesses, until
from websockets.exceptions import ConnectionClosed

from backscope_server.fleet import address_counts
from backscope_server.fleet.address_counts import AddressCounts


def test_requests_and_starts_are_counted_at_all_gateways(with_gateways):
    async def test(one, two):
        for count in (
            lambda gateway, address: gateway.counts.request(address),
            lambda gateway, address: gateway.counts.start(address, 1),
        ):
            assert [await count(gateway, "a") for gateway in (one, two, one)] == [0, 0, 0]
            assert await count(two, "a") > 0
            assert await count(two, "b") == 0

    with_gateways(test, address_requests=3, address_starts=3)


def test_a_socket_counts_as_a_request(with_gateways):
    async def test(one, two):
        assert await one.counts.open_socket("a") == (0, True)
        assert await two.counts.request("a") == 0
        wait, opened = await one.counts.open_socket("a")
        assert wait > 0
        assert not opened

    with_gateways(test, address_requests=2)


def test_sockets_are_counted_at_all_gateways(with_gateways):
    async def test(one, two):
        assert [await gateway.counts.open_socket("a") for gateway in (one, two)] == [(0, True)] * 2
        assert [await gateway.counts.open_socket("a") for gateway in (one, two)] == [(0, False)] * 2
        assert await two.counts.open_socket("b") == (0, True)
        one.counts.close_socket("a")
        while not (await two.counts.open_socket("a"))[1]:
            continue
        await one.counts.renew()
        await two.counts.renew()
        assert await one.counts.open_socket("a") == (0, False)

    with_gateways(test, address_sockets=2)


def test_sockets_of_a_killed_gateway_are_forgotten(with_gateways, monkeypatch):
    async def test(one, two):
        with monkeypatch.context() as patched:
            patched.setattr(address_counts, "_SOCKETS_MILLISECONDS", 200)
            killed = AddressCounts(one._connection, one._pressure)
            assert await killed.open_socket("a") == (0, True)
        while not (await two.counts.open_socket("a"))[1]:
            continue

    with_gateways(test, address_sockets=1)


def test_what_redis_has_forgotten_is_written_again(with_gateways):
    async def test(one, two):
        assert await one.counts.open_socket("a") == (0, True)
        await one._connection.redis.flushdb()
        await one.counts.renew()
        assert await two.counts.open_socket("a") == (0, False)

    with_gateways(test, address_sockets=1)


@pytest.fixture
def gateways(redis):
    fleet = FleetProcesses(redis, address_sockets=1)
    with contextlib.closing(fleet):
        yield fleet.gateway(), fleet.gateway()


def test_clients_are_refused_at_the_other_gateway(gateways):
    one, two = gateways

    def opens(gateway):
        with gateway.connect("/api/run") as again:
            with contextlib.suppress(ConnectionClosed):
                again.send("no program")
            message = again.recv(timeout=60)
            with pytest.raises(ConnectionClosed):
                again.recv(timeout=60)
        return "connections from your address" not in message

    with one.connect("/api/run"):
        assert not opens(two)
    until(lambda: opens(two))
