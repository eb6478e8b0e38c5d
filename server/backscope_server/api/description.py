"""Makes the OpenAPI description of the API."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

_FOREIGN = ("HTTPValidationError", "ValidationError")
"""The framework's own errors, which this API does not answer with."""

_ERROR = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the description, with a token where the server requires one."""
    known = app.openapi()
    schemas = {name: schema for name, schema in known["components"]["schemas"].items() if name not in _FOREIGN}
    components: dict[str, Any] = {"schemas": schemas}
    described = {**known, "components": components, "paths": {}}
    for path, operations in known["paths"].items():
        described["paths"][path] = {method: _own(operation) for method, operation in operations.items()}
    if app.state.token is not None:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]
    return described


def _own(operation: dict[str, Any]) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, found in operation["responses"].items():
        if "HTTPValidationError" in str(found):
            continue
        # An error is JSON, whatever else the route answers with.
        responses[status] = found if status < "400" else {**found, "content": _ERROR}
    return {**operation, "responses": responses}
