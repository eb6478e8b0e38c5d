"""Errors as the API says them: {"error": {"message": what, where and what to do}}."""

from __future__ import annotations

from starlette.responses import JSONResponse


class Problem(Exception):
    """A request that cannot be served: an HTTP status and a text for people."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def error_body(message: str) -> dict[str, dict[str, str]]:
    """The JSON body of an error."""
    return {"error": {"message": message}}


def error_response(status: int, message: str) -> JSONResponse:
    """An error as a response."""
    return JSONResponse(error_body(message), status_code=status)
