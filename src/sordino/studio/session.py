"""What one visitor does in one tab: the data, the policy, results and runs. Nothing of it is seen by any other.

Results are kept here and not in the page, so that a page that is loaded again shows them. `version` counts the changes:
a page that has shown an older one shows everything anew.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sordino
from sordino.errors import InternalError, SordinoError
from sordino.studio.logs import place_of
from sordino.studio.places import Places
from sordino.studio.prepared import Prepared

__all__ = ["CHANGED", "Opened", "Released", "Session", "Sessions", "Shared", "told"]

CHANGED = "The policy was changed meanwhile, and this was about the one before."
MOST = 50  # sessions that are kept; the ones not looked at for longest go first


@dataclass(frozen=True)
class Shared:
    """What all sessions share: the folders named at the start, where releases go, and how large an upload may be."""

    places: Places
    out: Path
    private: Path
    limit: int
    first: Path | None = None  # the file that was named at the start


@dataclass(frozen=True)
class Opened:
    """Data that were read: what they are called, where they lie, and how they were taken."""

    name: str
    path: Path | str  # a file, or the address of a database
    shown: str  # the name for a command line, without any password
    form: dict[str, Any]
    data: Any  # Baskets or Table
    report: Prepared  # what was read, in words
    ways: tuple[tuple[str, dict[str, Any]], ...] = ()  # what would read it otherwise: what it means, and the form
    columns: tuple[str, ...] = ()  # of the file, as far as they are known
    sample: bool = False

    @property
    def table(self) -> bool:
        return isinstance(self.data, sordino.Table)


@dataclass(frozen=True)
class Released:
    """A run that ended in a release, or a release opened from disk."""

    key: str
    name: str
    folder: Path
    when: float
    method: str
    report: Prepared
    verdict: Prepared  # and, of a valid one, what it comes to
    answer: Any  # of the verifier
    release: Any = None  # as it was made here
    package: Path | None = None  # publish/ as one zip
    leaves: Any = None  # of a release that shows wider items: what somebody finds who knows the items themselves


@dataclass(eq=False)
class Session:
    """One tab's work."""

    key: str
    visitor: str
    shared: Shared
    folder: Path
    opened: Opened | None = None
    text: str = ""  # policy.toml
    content: dict[str, Any] = field(default_factory=dict)  # what it says, entry by entry, whole or not
    # Of each kind of policy, what was said of it last: entry by entry, and as a text with its comments.
    drawer: dict[str, tuple[dict[str, Any], str]] = field(default_factory=dict)
    given: str = ""  # the policy.toml that came with the data
    finer: bool = False  # whether the choices that few need are shown
    policy: Any = None  # what the text says; None if it says nothing whole
    named: Any = None  # the same with every sensitive item by its name in these data; None if that is not so
    problems: tuple[str, ...] = ()
    audit: Any = None
    audited: Prepared | None = None
    comparison: Any = None
    compared: Prepared | None = None
    method: str | None = None  # what was chosen; None: what suits the kind
    released: Released | None = None
    tree: Any = None  # a hierarchy in the making (trees.Node)
    tree_of: str | None = None  # the column that it is of; None for items
    hierarchy: str | None = None  # the file of one for items, which methods use
    runs: list[Released] = field(default_factory=list)
    trouble: tuple[str, str] | None = None  # (step, what went wrong there)
    version: int = 0
    work: Any = None  # a Background
    title: str = ""  # of the work
    step: str = ""  # where it was asked for
    since: float = 0.0
    seen: float = field(default_factory=time.monotonic)
    about: int = 0  # how often data or policy have changed: a result is about those that were there as it was asked for
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def changed(self) -> None:
        self.version += 1

    def start(
        self,
        step: str,
        title: str,
        work: Callable[[Any], Any],
        then: Callable[[Any], None],
        late: Callable[[Any], str] | None = None,
    ) -> None:
        """Begin work, unless there is some; `then` gets its result, on its thread.

        If there is `late`, the result is about the data and the policy as they are now: should they have changed when
        it comes, `late` gets it instead, and says what whoever sits there is told.
        """
        if self.busy:
            return
        self.trouble, self.step, self.title, self.since = None, step, title, time.monotonic()
        about = self.about

        def run(progress: Any) -> None:
            try:
                result = work(progress)
                progress(title, 0, 0)  # the last moment at which it can be cancelled
                with self._lock:
                    if late is None or self.about == about:
                        then(result)
                    else:
                        self.trouble = (step, late(result))
            except Exception as error:
                if self.work is None or not self.work.cancelled:  # else it is only how it ended
                    self.trouble = (step, told(error))
            finally:
                self.changed()

        self.work = sordino.Background(run)
        self.changed()

    @property
    def busy(self) -> bool:
        return self.work is not None and self.work.running

    def cancel(self) -> None:
        """End the work that goes on."""
        if self.busy:
            self.work.cancel()

    # What depends on something is gone when that changes, so that nothing old is shown beside something new.

    def take(self, opened: Opened) -> None:
        """Go on with these data."""
        self.opened = opened
        self.text, self.policy, self.named, self.problems, self.method = "", None, None, (), None
        self.content, self.drawer, self.given, self.finer = {}, {}, "", False
        self.tree = self.tree_of = self.hierarchy = None
        self.forget()

    def forget(self) -> None:
        """Results are about data and a policy that are no longer these."""
        with self._lock:
            self.about += 1
            self.audit = self.audited = self.comparison = self.compared = self.released = None
        self.changed()

    def close(self) -> None:
        """Nothing stays."""
        self.cancel()
        shutil.rmtree(self.folder, ignore_errors=True)


def told(error: BaseException) -> str:
    """What whoever sits there is told. A foreign error may quote a record: of those, only type and place."""
    if isinstance(error, InternalError):
        return f"This is a bug in sordino: {error}"
    if isinstance(error, SordinoError):
        return "\n".join([str(error), *error.suggestions])
    if isinstance(error, MemoryError):
        return "There is not enough memory for this."
    if isinstance(error, OSError) and error.strerror:
        return f"Cannot be read or written ({error.strerror})."
    return f"This is a bug in sordino: {type(error).__name__} at {place_of(error)}. Please report it, with this line."


class Sessions:
    """All that go on, by their names; each belongs to the visitor who began it."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self._held: dict[str, Session] = {}
        self._lock = threading.Lock()

    def begin(self, visitor: str) -> Session:
        """A new one; beyond MOST, the one that nobody has looked at for longest ends."""
        key = secrets.token_urlsafe(16)
        folder = self.shared.private / secrets.token_hex(8)
        folder.mkdir(mode=0o700)
        session = Session(key, visitor, self.shared, folder)
        with self._lock:
            self._held[key] = session
            idle = sorted((one for one in self._held.values() if not one.busy), key=lambda one: one.seen)
            for old in idle[: max(0, len(self._held) - MOST)]:
                del self._held[old.key]
                old.close()
        return session

    def find(self, key: str, visitor: str | None) -> Session | None:
        """The session of this name, if it is this visitor's."""
        session = self._held.get(key)
        if session is None or session.visitor != visitor:
            return None
        session.seen = time.monotonic()
        return session

    def close(self) -> None:
        """All end."""
        for session in self._held.values():
            with contextlib.suppress(OSError):
                session.close()
