"""Requests that no well-behaved client sends: bytes to a port, status and body back."""

import json
import socket
from contextlib import suppress
from typing import Any


def request(path: str, body: bytes, host: str, **headers: str) -> bytes:
    """A POST of JSON text as it is; `headers` replace those that a browser would send."""
    sent = {"Host": host, "Content-Type": "application/json", "Content-Length": str(len(body))}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items() if value)
    return f"POST {path} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode("utf-8", "surrogatepass") + body


def send(port: int, data: bytes, timeout_s: float = 60) -> tuple[int, bytes]:
    """What the server says to these bytes, up to the end of the connection; (0, b"") for nothing."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout_s) as line:
        said = b""
        with suppress(BrokenPipeError, ConnectionResetError):
            line.sendall(data)  # An answer may come before all is sent.
        with suppress(ConnectionResetError):
            while chunk := line.recv(65536):
                said += chunk
    head, _, rest = said.partition(b"\r\n\r\n")
    return (int(head.split(b" ", 2)[1]), rest) if head.startswith(b"HTTP/") else (0, said)


def ask(port: int, path: str, body: object, **headers: str) -> tuple[int, Any]:
    """Send a value as JSON, whatever it holds; the status and the answer."""
    status, said = send(port, request(path, json.dumps(body).encode(), f"127.0.0.1:{port}", **headers))
    try:
        return status, json.loads(said)
    except ValueError:
        return status, None
