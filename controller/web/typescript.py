"""TypeScript types of everything that passes between page and server, made from the OpenAPI document.

`npm run check` has `python -m controller.studio.page_types` write them to `src/view.ts`, which nothing but
the type check reads: the front end imports types from there, and a build leaves those out.
"""

from collections.abc import Mapping
from typing import Any, Final

from controller.web.openapi import document

HEADER: Final = "// Made by `python -m controller.studio.page_types`; change the models there instead.\n"
OTHERS: Final = frozenset({"HTTPValidationError", "ValidationError"})
"""What the framework adds for errors that are answered in another shape here."""


def typescript(beside: Mapping[str, dict[str, Any]]) -> str:
    """Return the TypeScript declarations of the table's messages, and of other pages' schemas."""
    schemas: dict[str, dict[str, Any]] = {**beside, **document(demo=True)["components"]["schemas"]}
    ours = {name: schema for name, schema in schemas.items() if name not in OTHERS}
    return HEADER + "".join(_declaration(name, ours[name]) for name in sorted(ours))


def _declaration(name: str, schema: dict[str, Any]) -> str:
    if "properties" not in schema:
        return f"\nexport type {name} = {_type(schema)};\n"
    needed = frozenset(schema.get("required", ())) | _tags(schema)
    fields = "".join(
        f"  {field}{'' if field in needed else '?'}: {_type(inner)};\n"
        for field, inner in schema["properties"].items()
    )
    return f"\nexport interface {name} {{\n{fields}}}\n"


def _tags(schema: dict[str, Any]) -> frozenset[str]:
    """Fields with one possible value: they tell a union's forms apart, so they are always written."""
    return frozenset(field for field, inner in schema["properties"].items() if "const" in inner)


def _type(node: dict[str, Any]) -> str:
    if "$ref" in node:
        return str(node["$ref"].rpartition("/")[2])
    for union in ("anyOf", "oneOf"):
        if union in node:
            return " | ".join(dict.fromkeys(_type(inner) for inner in node[union]))
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
        inner = node.get("additionalProperties") or next(
            iter(node.get("patternProperties", {}).values()), None
        )
        return f"Record<string, {_type(inner) if isinstance(inner, dict) else 'unknown'}>"
    return "number" if kind == "integer" else str(kind)
