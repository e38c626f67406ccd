"""The application behind the gate: the page, and what can be downloaded."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, RedirectResponse
from nicegui import ui

from sordino.studio.places import from_here
from sordino.studio.session import Released, Session, Sessions, Shared
from sordino.studio.steps import choose, earlier, hierarchies, publish, quiet, risk
from sordino.studio.steps import open as opening
from sordino.studio.tab import Tab

__all__ = ["application"]

STEPS = {
    "open": ("Open", opening.build),
    "quiet": ("What must stay quiet", quiet.build),
    "risk": ("The risk", risk.build),
    "choose": ("Choose", choose.build),
    "publish": ("Publish", publish.build),
    "earlier": ("Earlier runs", earlier.build),
    "hierarchies": ("Hierarchies", hierarchies.build),
}
REPORT = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; sandbox"


def application(shared: Shared) -> tuple[FastAPI, Sessions]:
    """The application, and the sessions that it will hold."""
    sessions = Sessions(shared)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/")
    def begin(request: Request) -> Response:
        session = sessions.begin(request.scope["visitor"])
        if shared.first is not None:
            opening.open_file(session, shared.first, shared.first.name, from_here(shared.first))
        return RedirectResponse(f"/s/{session.key}", status_code=303)

    @app.get("/download/{key}/{run}")
    def download(request: Request, key: str, run: str) -> Response:
        released = _find(sessions, request, key, run)
        if released is None or released.package is None:
            return Response(status_code=404)
        return FileResponse(released.package, filename=f"{released.name}.zip", media_type="application/zip")

    @app.get("/report/{key}/{run}")
    def report(request: Request, key: str, run: str) -> Response:
        released = _find(sessions, request, key, run)
        path = None if released is None else released.folder / "keep" / "report.html"
        if path is None or not path.is_file() or path.is_symlink():
            return Response(status_code=404)
        return FileResponse(path, media_type="text/html", headers={"content-security-policy": REPORT})

    @ui.page("/s/{key}", title="sordino studio", dark=None)
    def page(request: Request, key: str) -> Any:
        session = sessions.find(key, request.scope.get("visitor"))
        if session is None:
            return RedirectResponse("/", status_code=303)
        Tab(session, STEPS)
        return None

    ui.run_with(
        app, title="sordino studio", dark=None, tailwind=False, gzip_middleware_factory=None,
        show_welcome_message=False, reconnect_timeout=10.0, message_history_length=100, favicon=ICON,
    )  # fmt: skip
    return app, sessions


ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#12436d"/>'
    '<path d="M9 12h14l-3 12h-8z" fill="#fff"/></svg>'
)


def _find(sessions: Sessions, request: Request, key: str, run: str) -> Released | None:
    """A run of the visitor's own session."""
    session: Session | None = sessions.find(key, request.scope.get("visitor"))
    if session is None:
        return None
    return next((one for one in session.runs if one.key == run), None)
