"""The server: a socket on this machine's own address, the application behind its gate, an end that leaves nothing."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path

from sordino.errors import InputError
from sordino.studio.gate import Gate
from sordino.studio.logs import quiet_logs
from sordino.studio.places import DATABASE, Places
from sordino.studio.private import private_folder
from sordino.studio.session import Shared

__all__ = ["serve"]

HOST = "127.0.0.1"


def serve(named: list[Path], out: Path, *, port: int, limit: int, browser: bool, say: Callable[[str], None]) -> None:
    """Serve until it is ended; `say` is told the address."""
    places = Places(named or [Path()])
    files = [one.resolve() for one in named if one.is_file() and not DATABASE.search(one.name)]
    with private_folder() as private, _listening(port) as listening:
        os.environ["NICEGUI_STORAGE_PATH"] = str(private / "storage")  # read when NiceGUI is imported
        from sordino.studio.application import application

        quiet_logs()
        number = listening.getsockname()[1]
        token = secrets.token_urlsafe(32)
        shared = Shared(places, out.resolve(), private, limit, files[0] if files else None)
        app, sessions = application(shared)
        gate = Gate(app, port=number, token=token, limit=limit)
        address = f"http://{HOST}:{number}/?token={token}"
        say(f"The studio is open at\n  {address}\nIt ends with Ctrl-C.\n")
        if browser:
            _open(private, address)
        try:
            asyncio.run(_run(gate, listening))
        finally:
            sessions.close()


async def _run(gate: Gate, listening: socket.socket) -> None:
    import uvicorn

    config = uvicorn.Config(
        gate,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        ws_max_size=4 << 20,
        timeout_graceful_shutdown=1,
        limit_concurrency=200,
    )
    await uvicorn.Server(config).serve(sockets=[listening])


def _listening(port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((HOST, port))
        made.listen(128)
    except (OSError, OverflowError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or "no such port"
        raise InputError(f"the port {port} cannot be used ({reason})", hint="Choose another, or none.") from None
    return made


def _open(private: Path, address: str) -> None:
    """Show the first page. The token does not go on a command line, where others could list it, but by a file."""
    page = private / "open.html"
    page.touch(mode=0o600)
    page.write_text(f'<meta http-equiv="refresh" content="0; url={address}">', encoding="utf-8")
    webbrowser.open(page.as_uri())
