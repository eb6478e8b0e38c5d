"""Objects in a store that speaks S3, for gateways on several machines; its client is obstore, of the extra `fleet`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import S3Store

from backscope_server.storage.folder import StorageError
from backscope_server.storage.objects import Found, Unreachable

if TYPE_CHECKING:
    from obstore.store import S3Config

SCHEME = "s3://"
"""The beginning of the address of a bucket."""
_TIMEOUT = "10s"
_RETRIES = 2


class S3Objects:
    """Keeps objects in a bucket, below what follows its name in `address`; the methods are those of Objects.

    `endpoint` and `region` are AWS's own where they are empty. Who the server is there, it reads from AWS's variables
    and services.

    Raises: StorageError for an address of no bucket.
    """

    workers = 8

    def __init__(self, address: str, endpoint: str = "", region: str = "") -> None:
        bucket, _, prefix = address.removeprefix(SCHEME).partition("/")
        if not bucket:
            raise StorageError(f"Shared runs cannot be kept in {address}: write s3://BUCKET/PREFIX.")
        self._where = f"The store {SCHEME}{bucket}"
        config: S3Config = {"endpoint": endpoint} if endpoint else {}
        try:
            self._store = S3Store(
                bucket,
                config=config,
                prefix=prefix.strip("/") or None,
                region=region or None,
                client_options={"allow_http": endpoint.startswith("http:"), "timeout": _TIMEOUT},
                retry_config={"max_retries": _RETRIES},
            )
        except BaseError as error:
            raise StorageError(f"Shared runs cannot be kept in {address}: {_first_line(error)}") from None

    def put(self, name: str, content: bytes) -> None:
        """Write an object in place of one of the same name."""
        try:
            obstore.put(self._store, name, content)
        except BaseError as error:
            raise self._unreachable(error) from None

    def create(self, name: str, content: bytes) -> bool:
        """Write an object unless there is one of this name; return whether it was written."""
        try:
            obstore.put(self._store, name, content, mode="create")
        except AlreadyExistsError:
            return False
        except BaseError as error:
            raise self._unreachable(error) from None
        return True

    def get(self, name: str) -> bytes | None:
        """Return an object, None where there is none."""
        try:
            return bytes(obstore.get(self._store, name).bytes())
        except FileNotFoundError:
            return None
        except BaseError as error:
            raise self._unreachable(error) from None

    def delete(self, names: Iterable[str]) -> None:
        """Remove objects, those that are there."""
        try:
            obstore.delete(self._store, list(names))
        except FileNotFoundError:
            pass
        except BaseError as error:
            raise self._unreachable(error) from None

    def list(self, prefix: str = "") -> list[Found]:
        """Return the objects below a prefix of whole parts."""
        try:
            return [
                Found(one["path"], one["size"], one["last_modified"].timestamp())
                for some in obstore.list(self._store, prefix or None)
                for one in some
            ]
        except BaseError as error:
            raise self._unreachable(error) from None

    def _unreachable(self, error: BaseError) -> Unreachable:
        return Unreachable(f"{self._where} does not answer as it should ({_first_line(error)}).")


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].strip()
