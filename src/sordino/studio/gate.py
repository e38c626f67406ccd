"""Who may come in: an ASGI application around all others, which sees every request and every web socket first.

- The request must name this machine and port as its host, so that a foreign name that leads here (DNS rebinding) does
  not help; and must not come from a page of another site (Origin, Sec-Fetch-Site).
- It must bring the cookie. Whoever brings the token, in the first address, gets one.
- Its body is counted while it arrives, and cut off at the limit.

Every answer gets headers that forbid the page to load from, send to, or be framed by anybody else.
"""

from __future__ import annotations

import hashlib
import hmac
import html
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

__all__ = ["BODY", "Gate"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY = 1 << 20  # bytes of a request that uploads nothing
VISITORS = 1000  # cookies that are given out at most
PAGES = "/s/"  # where the pages of the studio lie
ENTERED = "<p>The studio opens.</p><p><a href='/'>Go on</a></p>"
CLOSED = (
    "<h1>The studio is closed to this request</h1>"
    "<p>Open the address that <code>sordino studio</code> printed when it was started; it holds the key.</p>"
)


class Gate:
    """`app`, for those who hold the token or a cookie. `limit`: bytes that an upload may have."""

    def __init__(self, app: App, *, port: int, token: str, limit: int) -> None:
        self.app = app
        self.limit = limit
        self.cookie = f"sordino-studio-{port}"  # cookies do not know of ports
        self._token = token.encode()
        self._hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost", "[::1]")}
        self._visitors: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refused = self._refused(scope)
        if refused is None and scope["type"] == "http" and self._enters(scope):
            await self._enter(scope, send)
            return
        if refused is None and not self._known(scope):
            refused = 403
        if refused is not None:
            await self._refuse(scope, send, refused)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, send)
        else:
            await self._serve(scope, receive, send)

    def _refused(self, scope: Scope) -> int | None:
        """The status of a request that is refused whatever it brings; None if it may be looked at."""
        hosts, origins = _headers(scope, b"host"), _headers(scope, b"origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return 421
        if any(origin.lower() != b"http://" + hosts[0].lower() for origin in origins):
            return 403
        sites = _headers(scope, b"sec-fetch-site")
        if any(site not in (b"same-origin", b"none") for site in sites) and not self._enters(scope):
            return 403
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD", "POST"):
            return 405
        return None

    def _enters(self, scope: Scope) -> bool:
        """Whether this is the first address, with the right token."""
        if scope["type"] != "http" or scope["path"] != "/" or scope["method"] != "GET":
            return False
        stated = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=5).get("token", [""])[0]
        return hmac.compare_digest(stated.encode(), self._token)

    async def _enter(self, scope: Scope, send: Send) -> None:
        """A cookie, and a page that goes on by itself: a redirect would not bring a strict cookie along."""
        del scope
        if len(self._visitors) >= VISITORS:
            self._visitors.clear()  # whoever still holds the token comes in again
        value = secrets.token_urlsafe(32)
        self._visitors.add(_digest(value))
        head = '<meta http-equiv="refresh" content="0; url=/">'
        given = f"{self.cookie}={value}; Path=/; HttpOnly; SameSite=Strict"
        await _answer(send, 200, ENTERED, head, ((b"set-cookie", given.encode()),))

    def _known(self, scope: Scope) -> bool:
        """Whether a cookie of ours is there; who it is, is noted for the pages."""
        for header in _headers(scope, b"cookie"):
            try:
                held = SimpleCookie(header.decode("latin-1")).get(self.cookie)
            except CookieError:
                continue
            if held is not None and _digest(held.value) in self._visitors:
                scope["visitor"] = _digest(held.value)
                return True
        return False

    async def _refuse(self, scope: Scope, send: Send, status: int) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await _answer(send, status, CLOSED)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The application, with a limit on what it gets and with our headers on what it sends."""
        limit = self.limit if "/upload/" in scope["path"] else BODY
        stated = _headers(scope, b"content-length")
        if any(not length.isdigit() or int(length) > limit for length in stated):
            await _answer(send, 413, _too_large(limit))
            return
        got, over, started = 0, False, False
        nonce = secrets.token_urlsafe(18)
        page = scope["path"].startswith(PAGES)
        first: Message = {}
        body = bytearray()

        async def limited() -> Message:
            nonlocal got, over
            message = await receive()
            got += len(message.get("body", b""))
            if got > limit:
                over = True
                return {"type": "http.disconnect"}
            return message

        async def dressed(message: Message) -> None:
            nonlocal started, first
            if over:  # whatever it makes of half a body is not told
                return
            if message["type"] == "http.response.start":
                message["headers"] = _with_ours(message["headers"], nonce, scope["path"])
                if page and _is_html(message["headers"]):
                    first = message
                    return
                started = True
            elif first and message["type"] == "http.response.body":
                body.extend(message.get("body", b""))
                if message.get("more_body"):
                    return
                # Names from the data stand there escaped: every "<script" is one of the page's own.
                whole = bytes(body).replace(b"<script", f'<script nonce="{nonce}"'.encode())
                kept = [(name, value) for name, value in first["headers"] if name.lower() != b"content-length"]
                started = True
                await send({**first, "headers": [*kept, (b"content-length", str(len(whole)).encode())]})
                message = {"type": "http.response.body", "body": whole}
            await send(message)

        try:
            await self.app(scope, limited, dressed)
        except Exception:
            if not over:
                raise
        if over and not started:
            await _answer(send, 413, _too_large(limit))


def _headers(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key.lower() == name]


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


def _too_large(limit: int) -> str:
    return f"<h1>Too large</h1><p>The studio takes at most {limit >> 20:,} MiB at once.</p>"


def _is_html(headers: list[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)


def _with_ours(headers: Any, nonce: str, path: str) -> list[tuple[bytes, bytes]]:
    """The headers with ours; a content policy that is there already is stricter, and stays."""
    told = [(name, value) for name, value in headers if name.lower() != b"server"]
    names = {name.lower() for name, _ in told}
    if b"content-security-policy" not in names:
        # Vue compiles templates in the browser, which is what unsafe-eval is for; Quasar styles its elements.
        policy = (
            f"default-src 'none'; script-src 'self' 'unsafe-eval' 'nonce-{nonce}'; style-src 'self' 'unsafe-inline'; "
            "img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        )
        told.append((b"content-security-policy", policy.encode()))
    if not path.startswith("/_nicegui/"):  # the library's own files, which hold nothing of anybody
        told = [(name, value) for name, value in told if name.lower() != b"cache-control"]
        told.append((b"cache-control", b"no-store"))
    return [*told, *OURS]


OURS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


async def _answer(
    send: Send, status: int, body: str, head: str = "", more: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    """A small page without any script."""
    title = html.escape("sordino studio")
    text = f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
    content = f"{text}<body>{body}</body></html>".encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(content)).encode()),
        (
            b"content-security-policy",
            b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        (b"cache-control", b"no-store"),
        *OURS,
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
