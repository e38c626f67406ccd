"""Who may come in, and what every answer bears: the gate alone, before an application that notes who got to it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sordino.studio.gate import BODY, Gate

PORT, TOKEN = 4321, "the-right-token"
HOST = ("host", f"127.0.0.1:{PORT}")
PAGE = b"<html><script>a</script><script type='module'>b</script></html>"


class Inside:
    """What lies behind: answers every request with a page, and notes it."""

    def __init__(self) -> None:
        self.reached: list[str] = []
        self.got = b""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.reached.append(scope["type"] + " " + scope["path"])
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RuntimeError("it broke off")
            self.got += message.get("body", b"")
            more = message.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": PAGE[:20], "more_body": True})
        await send({"type": "http.response.body", "body": PAGE[20:]})


class Door:
    def __init__(self, limit: int = 3 << 20) -> None:
        self.inside = Inside()
        self.gate = Gate(self.inside, port=PORT, token=TOKEN, limit=limit)

    def ask(
        self, path: str, *headers: tuple[str, str], query: str = "", method: str = "GET", kind: str = "http",
        parts: tuple[bytes, ...] = (b"",),
    ) -> tuple[int, dict[str, str], bytes]:  # fmt: skip
        sent: list[Any] = []
        waiting = [
            {"type": "http.request", "body": part, "more_body": k < len(parts) - 1} for k, part in enumerate(parts)
        ]

        async def receive() -> Any:
            return waiting.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": kind, "path": path, "query_string": query.encode(), "method": method,
            "headers": [(name.encode(), value.encode()) for name, value in headers],
        }  # fmt: skip
        asyncio.run(self.gate(scope, receive, send))
        if kind == "websocket":
            return (101 if sent[0]["type"] == "websocket.accept" else 403), {}, b""
        starts = [message for message in sent if message["type"] == "http.response.start"]
        assert len(starts) == 1
        told = {name.decode(): value.decode() for name, value in starts[0]["headers"]}
        return starts[0]["status"], told, b"".join(m["body"] for m in sent if m["type"] == "http.response.body")

    def enter(self) -> tuple[str, str]:
        """The header with a cookie."""
        status, headers, _ = self.ask("/", HOST, query=f"token={TOKEN}")
        assert status == 200
        return ("cookie", headers["set-cookie"].partition(";")[0])


def test_the_token_gives_a_cookie_and_the_cookie_opens() -> None:
    door = Door()
    status, headers, body = door.ask("/", HOST, query=f"token={TOKEN}")
    assert status == 200
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=Strict" in headers["set-cookie"]
    assert TOKEN.encode() not in body
    assert door.inside.reached == []
    assert door.ask("/s/x", HOST, door.enter())[0] == 200
    assert door.inside.reached == ["http /s/x"]


@pytest.mark.parametrize(
    "headers",
    [
        (),
        (("host", "127.0.0.1"),),
        (("host", f"127.0.0.1:{PORT + 1}"),),
        (("host", f"evil.example:{PORT}"),),
        (("host", f"127.0.0.1.evil.example:{PORT}"),),
        (HOST, ("host", "evil.example")),
        (HOST, ("origin", "http://evil.example")),
        (HOST, ("origin", "null")),
        (HOST, ("origin", f"https://127.0.0.1:{PORT}")),
        (HOST, ("origin", f"http://localhost:{PORT}")),
        (HOST, ("sec-fetch-site", "cross-site")),
        (HOST, ("sec-fetch-site", "same-site")),
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_foreign_hosts_and_origins_stay_outside_even_with_a_cookie(
    headers: tuple[tuple[str, str], ...], kind: str
) -> None:
    door = Door()
    cookie = door.enter()
    assert door.ask("/s/x", *headers, cookie, kind=kind)[0] in (403, 421)
    assert door.inside.reached == []
    assert door.ask("/s/x", HOST, cookie, ("origin", f"http://127.0.0.1:{PORT}"), kind=kind)[0] in (101, 200)


@pytest.mark.parametrize("cookie", ["", "sordino-studio-4321=", "sordino-studio-4321=guessed", "x=1; ;;=", 'a="'])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_without_the_cookie_nobody_gets_in(cookie: str, kind: str) -> None:
    door = Door()
    assert door.ask("/s/x", HOST, ("cookie", cookie), kind=kind)[0] == 403
    assert door.ask("/", HOST, query="token=wrong")[0] == 403
    assert door.ask("/", HOST, query="token=")[0] == 403
    assert door.ask("/s/x", HOST, query=f"token={TOKEN}")[0] == 403
    assert door.inside.reached == []


def test_every_cookie_is_another_visitor() -> None:
    door = Door()
    seen = []

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["visitor"])
        await Inside()(scope, receive, send)

    door.gate.app = noting
    for cookie in (door.enter(), door.enter()):
        door.ask("/s/x", HOST, cookie)
    assert len(set(seen)) == 2


def test_only_these_methods() -> None:
    door = Door()
    cookie = door.enter()
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"):
        assert door.ask("/s/x", HOST, cookie, method=method)[0] == 405


def test_bodies_end_at_the_limit_stated_or_not() -> None:
    door = Door()
    cookie = door.enter()
    part = b"x" * (1 << 19)
    upload = "/_nicegui/client/1/upload/2"
    assert door.ask(upload, HOST, cookie, method="POST", parts=(part,) * 6)[0] == 200
    assert len(door.inside.got) == 3 << 20
    for path, parts in ((upload, 7), ("/s/x", 3)):
        door.inside.got = b""
        status, headers, _ = door.ask(path, HOST, cookie, method="POST", parts=(part,) * parts)
        assert status == 413
        assert "content-security-policy" in headers
        assert len(door.inside.got) <= (3 << 20 if path == upload else BODY)
    door.inside.reached.clear()
    assert door.ask(upload, HOST, cookie, ("content-length", str(1 << 40)), method="POST")[0] == 413
    assert door.ask(upload, HOST, cookie, ("content-length", "many"), method="POST")[0] == 413
    assert door.inside.reached == []


def test_pages_bear_a_content_policy_with_a_nonce_of_their_own() -> None:
    door = Door()
    cookie = door.enter()
    nonces = set()
    for _ in range(2):
        _, headers, body = door.ask("/s/x", HOST, cookie)
        policy = headers["content-security-policy"]
        nonce = policy.partition("'nonce-")[2].partition("'")[0]
        nonces.add(nonce)
        assert body == PAGE.replace(b"<script", f'<script nonce="{nonce}"'.encode())
        assert int(headers["content-length"]) == len(body)
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
        assert "frame-ancestors 'none'" in policy
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    assert len(nonces) == 2
