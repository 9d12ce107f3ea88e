"""TypeScript types of the view, made from the models so that both sides cannot drift apart.

`python -m controller.web.typescript` prints them; the front end keeps them as `src/view.ts`.
"""

import sys
from typing import Any

from pydantic import TypeAdapter

from controller.screens.acts import CommandBody
from controller.screens.view import Preview, TableView

HEADER = "// Made by `python -m controller.web.typescript`; change controller/web/view.py instead.\n"


def typescript() -> str:
    """The whole of `src/view.ts`."""
    _, schema = TypeAdapter.json_schemas(
        [(model, "serialization", TypeAdapter(model)) for model in (TableView, Preview, CommandBody)]
    )
    definitions: dict[str, dict[str, Any]] = schema["$defs"]
    return HEADER + "".join(_declaration(name, body) for name, body in sorted(definitions.items()))


def _declaration(name: str, body: dict[str, Any]) -> str:
    if "properties" not in body:
        return f"\nexport type {name} = {_type(body)};\n"
    fields = "".join(f"  {field}: {_type(inner)};\n" for field, inner in body["properties"].items())
    return f"\nexport interface {name} {{\n{fields}}}\n"


def _type(node: dict[str, Any]) -> str:
    if "$ref" in node:
        return str(node["$ref"].rpartition("/")[2])
    for union in ("anyOf", "oneOf"):
        if union in node:
            return " | ".join(_type(inner) for inner in node[union])
    if "const" in node:
        return f'"{node["const"]}"' if isinstance(node["const"], str) else str(node["const"]).lower()
    if "enum" in node:
        return " | ".join(f'"{word}"' for word in node["enum"])
    return _plain(node)


def _plain(node: dict[str, Any]) -> str:
    kind = node.get("type")
    if kind == "array" and "prefixItems" in node:
        return "[" + ", ".join(_type(inner) for inner in node["prefixItems"]) + "]"
    if kind == "array":
        item = _type(node["items"])
        return f"({item})[]" if "|" in item else f"{item}[]"
    if kind == "object":
        inner = node.get("additionalProperties")
        return f"Record<string, {_type(inner) if isinstance(inner, dict) else 'unknown'}>"
    return "number" if kind == "integer" else str(kind)


if __name__ == "__main__":
    sys.stdout.write(typescript())
