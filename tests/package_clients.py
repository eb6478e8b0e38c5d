"""Copies the settings of this machine's package clients, apt, pip, uv and npm, for the roots of fresh_machine.py."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

_VARIABLES = re.compile(
    r"(pip|uv|npm_config|virtualenv)_\w+|(https?|ftp|all|no)_proxy|node_extra_ca_certs|(requests|curl)_ca_bundle"
    r"|(nix_)?ssl_cert_(file|dir)",
    re.IGNORECASE,
)

_APT = re.compile(r'^(Acquire::(?:https?|ftp|Check-\w|Retries|ForceIPv)[\w:-]*) "(.+)";$')

_KEYRINGS = Path("/usr/share/keyrings")


def variables() -> dict[str, str]:
    """Return the environment variables of package clients: indexes, proxies, certificates."""
    return {name: value for name, value in os.environ.items() if _VARIABLES.fullmatch(name)}


def apt_options() -> list[str]:
    """Return the configuration with which apt reaches its sources: proxies, checks of dates, retries."""
    lines = _output("apt-config", "dump", "Acquire").splitlines()
    return [f'{found[1]} "{found[2]}"' for line in lines if (found := _APT.match(line))]


def mirrors(suite: str) -> list[str]:
    """Return lines of sources.list for a release, with the mirrors of this machine; none where it is not Debian."""
    output = _output("apt-get", "indextargets", "--format", "$(REPO_URI) $(COMPONENT)", "Identifier: Packages")
    found = dict.fromkeys(
        uri
        for uri, component in (line.split() for line in output.splitlines())
        if component == "main" and _is_debian(uri)
    )
    return [f"deb {uri} {suite} main" for uri in found]


def _is_debian(uri: str) -> bool:
    return uri.rstrip("/").endswith("/debian")


def copy_settings(root: Path) -> None:
    """Copy this machine's settings of pip and npm, its certificates and its host names into another root."""
    home = Path.home()
    pip = [
        Path("/etc/pip.conf"),
        *Path("/etc/xdg/pip").glob("*"),
        home / ".config/pip/pip.conf",
        home / ".pip/pip.conf",
    ]
    named = [
        os.environ.get(name, "") for name in ("PIP_CONFIG_FILE", "PIP_CERT", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
    ]
    hosts = [Path("/etc/resolv.conf"), Path("/etc/hosts"), Path("/etc/ssl/certs/ca-certificates.crt")]
    for path in (*pip, *hosts, *(Path(name) for name in named if name)):
        if path.is_file():
            _copy(path, root / _there(path, home))
    settings = [path for path in (_global_npmrc(), home / ".npmrc") if path is not None and path.is_file()]
    npmrc = root / "root" / ".npmrc"
    npmrc.touch(mode=0o600)
    npmrc.write_text("\n".join(path.read_text() for path in settings))


def folders() -> list[Path]:
    """Return the folders of this machine that pip's settings name: packages, or an index and the files it links to."""
    output = _output("python3", "-m", "pip", "config", "list") + "\n".join(variables().values())
    named = {Path(*Path(name).parts[:3]) for name in re.findall(r"(?<![\w:/])(?:file://)?(/[\w.+/-]+)", output)}
    return sorted(path for path in named if path.is_dir() and path.parts[1] not in {"etc", "usr", "root", "home"})


def _there(path: Path, home: Path) -> Path:
    """Return the path of a file of this machine in the other root, where the home is /root."""
    return Path("root", path.relative_to(home)) if path.is_relative_to(home) else path.relative_to("/")


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    shutil.copy(path, target)


def _global_npmrc() -> Path | None:
    output = _output("npm", "config", "get", "globalconfig").strip() if shutil.which("npm") else ""
    return Path(output) if output else None


def _output(*command: str) -> str:
    """Return the output of a command, nothing if the command does not exist."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
