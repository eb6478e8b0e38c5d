"""Protects what deploys a fleet: compose files and the Helm chart are valid, and their containers are locked down."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from backscope_server.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[1]))

import redis_server

pytestmark = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="docker-compose and Helm are packages for x86-64"
)

# In a process of its own: the library has a runtime of Go, which takes the signals of its process.
HELM = """\
import json, sys
import helm_python as helm
chart, values = json.load(sys.stdin)
report = helm.lint(chart, values, strict=True)
with helm.Chart.load(chart) as loaded:
    try:
        made = loaded.render(values, name="demo", namespace="demo")
    except helm.HelmError as error:
        made, report["refusal"] = {}, str(error)
json.dump([report, made], sys.stdout)
"""

HTTPS = [{"to": [{"ipBlock": {"cidr": "198.51.100.0/24"}}], "ports": [{"protocol": "TCP", "port": 443}]}]
OWN_REDIS = {
    "publicHost": "backscope.example.org",
    "imagePullSecrets": [{"name": "registry"}],
    "gateways": {"envFrom": [{"secretRef": {"name": "store"}}]},
    "workers": {"autoscaling": {"enabled": True}, "runtimeClassName": "gvisor"},
    "redis": {"enabled": False, "address": "rediss://redis.example.org:6380/0", "existingSecret": "credentials"},
    "networkPolicy": {
        "redisTo": [{"ipBlock": {"cidr": "192.0.2.7/32"}}],
        "redisPort": 6380,
        "dns": True,
        "gatewaysTo": HTTPS,
    },
    "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "certificate"},
}
CHOICES = {"plain": {"publicHost": "backscope.example.org"}, "own redis": OWN_REDIS}
Manifest = dict[str, Any]


def helm(root: Path, values: Manifest) -> tuple[Manifest, dict[str, str]]:
    """Return what Helm says of the chart with these values, and its manifests."""
    given = json.dumps([str(root / "docker" / "helm"), values])
    done = subprocess.run([sys.executable, "-c", HELM], input=given, capture_output=True, text=True, check=True)
    report, made = json.loads(done.stdout)
    return report, made


@pytest.fixture(scope="module", params=CHOICES)
def chart(request: pytest.FixtureRequest, root: Path) -> dict[tuple[str, str], Manifest]:
    """Return the manifests of the chart by their kinds and names."""
    report, made = helm(root, CHOICES[request.param])
    assert report["errors"] == []
    assert "refusal" not in report
    texts = [text for name, text in made.items() if name.endswith(".yaml")]
    manifests = [one for text in texts for one in yaml.safe_load_all(text) if one is not None]
    return {(one["kind"], one["metadata"]["name"]): one for one in manifests}


def pods(chart: dict[tuple[str, str], Manifest]) -> Iterator[tuple[str, Manifest]]:
    """Give the role and the template of each pod."""
    for manifest in chart.values():
        if manifest["kind"] in ("Deployment", "StatefulSet"):
            template = manifest["spec"]["template"]
            yield template["metadata"]["labels"]["app.kubernetes.io/component"], template


@pytest.mark.parametrize("version", ["1.27", "1.37"])
def test_the_chart_is_what_kubernetes_takes(chart: dict[tuple[str, str], Manifest], version: str) -> None:
    import kubernetes_validate

    assert len(chart) >= 8
    for manifest in chart.values():
        kubernetes_validate.validate(manifest, version, strict=True)


def test_pods_are_restricted(chart: dict[tuple[str, str], Manifest]) -> None:
    for _, template in pods(chart):
        spec = template["spec"]
        assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & set(spec)
        assert spec["automountServiceAccountToken"] is False
        assert spec["securityContext"]["runAsNonRoot"]
        assert spec["securityContext"]["runAsUser"] > 0
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert all("emptyDir" in volume for volume in spec.get("volumes", ()))
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert container["resources"]["limits"]["memory"]
            assert not any("hostPort" in port for port in container["ports"])


def test_workers_reach_redis_and_nothing_else(chart: dict[tuple[str, str], Manifest]) -> None:
    spec = chart["NetworkPolicy", "demo-backscope-worker"]["spec"]
    assert spec["policyTypes"] == ["Ingress", "Egress"]
    labels = dict(pods(chart))["worker"]["metadata"]["labels"]
    assert spec["podSelector"]["matchLabels"].items() <= labels.items()
    assert [port["port"] for rule in spec["ingress"] for port in rule["ports"]] == [9090]
    if ("StatefulSet", "demo-backscope-redis") in chart:
        (rule,) = spec["egress"]
        (peer,) = rule["to"]
        redis = dict(pods(chart))["redis"]["metadata"]["labels"]
        assert peer["podSelector"]["matchLabels"].items() <= redis.items()
        assert peer["podSelector"]["matchLabels"]["app.kubernetes.io/component"] == "redis"
        assert chart["NetworkPolicy", "demo-backscope-redis"]["spec"]["egress"] == []
    else:
        redis, names = spec["egress"]
        assert (redis["to"], redis["ports"][0]["port"]) == ([{"ipBlock": {"cidr": "192.0.2.7/32"}}], 6380)
        assert {port["port"] for port in names["ports"]} == {53}
        assert chart["NetworkPolicy", "demo-backscope-gateway"]["spec"]["egress"] == [redis, names, *HTTPS]


def test_gateways_and_workers_have_known_settings_and_probes(chart: dict[tuple[str, str], Manifest]) -> None:
    for role, template in pods(chart):
        (container,) = template["spec"]["containers"]
        if role == "redis":
            continue
        variables = {one["name"]: one for one in container["env"]}
        assert {name.removeprefix("BACKSCOPE_").lower() for name in variables} <= set(Settings.model_fields)
        secret = variables["BACKSCOPE_FLEET_PASSWORD"]["valueFrom"]["secretKeyRef"]["name"]
        assert ("Secret", secret) in chart or secret == "credentials"
        address = variables["BACKSCOPE_FLEET"]["value"]
        assert address in ("redis://$(DEMO_BACKSCOPE_REDIS_SERVICE_HOST):6379/0", "rediss://redis.example.org:6380/0")
        assert container["livenessProbe"]["httpGet"] == {"path": "/live", "port": "metrics"}
        assert container["readinessProbe"]["httpGet"] == {"path": "/ready", "port": "metrics"}
        (port,) = [port["containerPort"] for port in container["ports"] if port["name"] == "metrics"]
        assert variables["BACKSCOPE_METRICS_PORT"]["value"] == str(port)
    worker = dict(pods(chart))["worker"]["spec"]
    assert worker["terminationGracePeriodSeconds"] > Settings().fleet_drain_seconds


def test_services_select_the_pods_of_their_role(chart: dict[tuple[str, str], Manifest]) -> None:
    labels = {role: template["metadata"]["labels"] for role, template in pods(chart)}
    for (kind, _), manifest in chart.items():
        if kind in ("Service", "PodDisruptionBudget", "Deployment", "StatefulSet"):
            selector = manifest["spec"]["selector"]
            selector = selector.get("matchLabels", selector)
            assert selector.items() <= labels[selector["app.kubernetes.io/component"]].items()


def test_the_number_of_workers_is_either_given_or_follows_the_line(chart: dict[tuple[str, str], Manifest]) -> None:
    deployment = chart["Deployment", "demo-backscope-worker"]["spec"]
    scaler = chart.get(("HorizontalPodAutoscaler", "demo-backscope-worker"))
    if scaler is None:
        assert deployment["replicas"] == 3
    else:
        assert "replicas" not in deployment
        assert scaler["spec"]["scaleTargetRef"]["name"] == "demo-backscope-worker"
        assert scaler["spec"]["metrics"][0]["external"]["metric"] == {"name": "backscope_demand"}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "publicHost is needed"),
        ({"publicHost": "a.example", "redis": {"enabled": False}}, "redis.address is needed"),
        ({"publicHost": "a.example", "redis": {"enabled": False, "address": "redis://a:b@c"}}, "redis"),
        ({"publicHost": "a.example", "worker": {}}, "worker"),
    ],
)
def test_values_that_make_no_sense_are_refused(root: Path, values: Manifest, said: str) -> None:
    report, _ = helm(root, values)
    assert said in report["refusal"]


def test_the_chart_has_the_version_of_the_project(root: Path) -> None:
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    about = yaml.safe_load((root / "docker" / "helm" / "Chart.yaml").read_text())
    assert (about["version"], about["appVersion"]) == (version, version)
    assert yaml.safe_load((root / "docker" / "helm" / "values.yaml").read_text())["image"] == f"backscope:{version}"


def compose(root: Path, name: str) -> Manifest:
    """Return what docker-compose reads in a compose file."""
    command = [Path(sys.executable).with_name("docker-compose"), "-f", root / "docker" / f"{name}.yaml", "config"]
    given = {"BACKSCOPE_PUBLIC_HOST": "backscope.example.org", "BACKSCOPE_FLEET_PASSWORD": "secret"}
    done = subprocess.run(
        [*command, "--format", "json"], env={**os.environ, **given}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: Manifest = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", ["compose", "hosted", "fleet"])
def test_the_containers_of_compose_files_are_locked_down(root: Path, name: str) -> None:
    services = compose(root, name)["services"]
    ours = [one for one in services.values() if one["image"] == "backscope"]
    assert ours
    for service in ours:
        assert service["read_only"]
        assert service["user"] == "10001:10001"
    for service in services.values():
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert "privileged" not in service
    variables = {name.removeprefix("BACKSCOPE_").lower() for one in ours for name in one["environment"]}
    assert variables <= set(Settings.model_fields)


def test_the_fleet_of_the_compose_file_has_its_roles_and_walls(root: Path) -> None:
    found = compose(root, "fleet")
    services = found["services"]
    assert services["worker"]["deploy"]["replicas"] == 3
    gateways = {name for name in services if name.startswith("gateway")}
    assert len(gateways) == 2
    assert set(re.findall(r"[\w-]+(?=:8000)", (root / "docker" / "Caddyfile").read_text())) == gateways
    reached = {other for other, one in services.items() if set(one["networks"]) & set(services["worker"]["networks"])}
    assert reached == {"worker", "redis"}
    assert all(found["networks"][network]["internal"] for network in services["worker"]["networks"])
    assert [name for name, one in services.items() if "outside" in one["networks"]] == ["proxy"]
    assert int(services["worker"]["stop_grace_period"].removesuffix("s")) > Settings().fleet_drain_seconds


def test_the_redis_of_the_compose_file_asks_for_the_password(root: Path, tmp_path: Path) -> None:
    import redis

    service = compose(root, "fleet")["services"]["redis"]
    # What docker-compose hands to the container: two dollars are one.
    entrypoint, script = service["entrypoint"], service["command"][0].replace("$$", "$")
    port = redis_server.free_port()
    script = script.replace("redis-server -", f"{redis_server.program()} -").replace("/data", str(tmp_path))
    script = script.replace("--appendonly", f"--port {port} --bind 127.0.0.1 --appendonly")
    variables = {**os.environ, **service["environment"]}
    with subprocess.Popen([*entrypoint, script], env=variables, stdout=subprocess.DEVNULL) as process:
        try:
            with redis.Redis(port=port, password="secret", retry=None) as client:
                while process.poll() is None:
                    try:
                        client.ping()
                        break
                    except redis.ConnectionError:
                        continue
                policy = client.config_get("maxmemory*")
                assert (policy["maxmemory"], policy["maxmemory-policy"]) == (str(1 << 30), "noeviction")
                assert client.config_get("appendonly") == {"appendonly": "yes"}
            with redis.Redis(port=port) as stranger, pytest.raises(redis.AuthenticationError):
                stranger.ping()
        finally:
            process.kill()
