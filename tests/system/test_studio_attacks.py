"""Attacks on a studio that runs: from outside without its key, and from a tab that wants more than its own."""

from __future__ import annotations

import base64
import contextlib
import http.client
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio import Studio, started

pytest.importorskip("nicegui")
pytestmark = pytest.mark.slow

LIMIT = 2  # MiB of an upload


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("studio")
    (folder / "data").mkdir()
    (folder / "secret.csv").write_text("the secret\n")
    with started(folder, "data", "--upload-limit", str(LIMIT)) as running:
        yield running


def ask(
    studio: Studio, path: str, headers: dict[str, str] | None = None, method: str = "GET", body: bytes | None = None
) -> tuple[int, dict[str, str], bytes]:
    """One request, with these headers; Host as it should be unless it is stated."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=30)
    with contextlib.closing(connection):
        connection.putrequest(method, path, skip_host=True)
        stated = {"Host": f"127.0.0.1:{studio.port}", **(headers or {})}
        if body is not None:
            stated["Content-Length"] = str(len(body))
        for name, value in stated.items():
            connection.putheader(name, value)
        connection.endheaders()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.send(body or b"")
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


def cookie(studio: Studio) -> dict[str, str]:
    """The header of a new visitor who holds the token."""
    status, headers, _ = ask(studio, f"/?token={studio.token}")
    assert status == 200
    return {"Cookie": headers["set-cookie"].partition(";")[0]}


def session(studio: Studio, visitor: dict[str, str]) -> str:
    """The address of a new session."""
    status, headers, _ = ask(studio, "/", visitor)
    assert status == 303
    return headers["location"]


def test_it_listens_on_this_machine_only(studio: Studio) -> None:
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:] if Path("/proc/net/tcp").exists() else []
    port = f"{studio.port:04X}"
    listening = [words[1] for words in map(str.split, lines) if words[1].endswith(f":{port}") and words[3] == "0A"]
    assert listening in ([], [f"0100007F:{port}"])  # 127.0.0.1, as the kernel writes it
    others = {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in others:
        if not str(address).startswith("127."):
            with pytest.raises(OSError, match=r"."):
                socket.create_connection((str(address), studio.port), 2).close()


@pytest.mark.parametrize(
    "path", ["/", "/s/x", "/download/a/b", "/report/a/b", "/_nicegui_ws/socket.io/", "/docs", "/x"]
)
def test_without_the_key_everything_is_closed(studio: Studio, path: str) -> None:
    assert ask(studio, path)[0] == 403
    assert ask(studio, f"{path}?token=guessed")[0] == 403
    assert ask(studio, path, {"Cookie": f"sordino-studio-{studio.port}=guessed"})[0] == 403


def test_a_foreign_host_or_origin_gets_nothing_even_with_the_key(studio: Studio) -> None:
    visitor = cookie(studio)
    for headers in (
        {"Host": "evil.example"},
        {"Host": f"evil.example:{studio.port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        assert ask(studio, "/", {**visitor, **headers})[0] in (403, 421), headers
        if "Host" in headers:
            assert ask(studio, f"/?token={studio.token}", headers)[0] == 421


def test_web_sockets_need_the_cookie_and_the_origin(studio: Studio) -> None:
    visitor = cookie(studio)

    def upgrade(headers: dict[str, str]) -> int:
        key = base64.b64encode(os.urandom(16)).decode()
        more = {
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key,
        }  # fmt: skip
        path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
        text = "".join(f"{name}: {value}\r\n" for name, value in {**more, **headers}.items())
        with socket.create_connection(("127.0.0.1", studio.port), 20) as line:
            line.sendall(f"GET {path} HTTP/1.1\r\n{text}\r\n".encode())
            return int(line.recv(1000).split()[1])

    host, origin = {"Host": f"127.0.0.1:{studio.port}"}, {"Origin": f"http://127.0.0.1:{studio.port}"}
    assert upgrade({**host, **origin}) == 403
    assert upgrade({**host, **visitor, "Origin": "http://evil.example"}) == 403
    assert upgrade({**visitor, **origin, "Host": f"evil.example:{studio.port}"}) == 403
    assert upgrade({**host, **visitor, **origin}) == 101


def test_sessions_are_closed_to_other_visitors(studio: Studio) -> None:
    me, you = cookie(studio), cookie(studio)
    mine = session(studio, me)
    assert session(studio, me) != mine  # another tab of mine
    status, _, page = ask(studio, mine, me)
    assert status == 200
    assert b"Choose data about people" in page
    status, headers, _ = ask(studio, mine, you)
    assert (status, headers["location"]) == (303, "/")


@pytest.mark.parametrize(
    "path",
    [
        "/download/../secret.csv", "/download/..%2f..%2fsecret.csv/x", "/report/x/..%2f..%2f..%2fsecret.csv",
        "/%2e%2e/secret.csv", "/../secret.csv", "//etc/passwd", "/_nicegui/../../../../etc/passwd",
        "/_nicegui/3.18.0/static/..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/_nicegui/3.18.0/resources/x/..%2f..%2fetc%2fpasswd",
    ],
)  # fmt: skip
def test_paths_lead_nowhere_else(studio: Studio, path: str) -> None:
    status, _, body = ask(studio, path, cookie(studio))
    assert status in (400, 403, 404)
    assert b"the secret" not in body
    assert b"root:" not in body


def uploads(studio: Studio, visitor: dict[str, str]) -> str:
    """Where the page sends a file to."""
    _, _, page = ask(studio, session(studio, visitor), visitor)
    found = re.search(rb"/_nicegui/client/[^/]+/upload/\d+", page)
    assert found is not None
    return found.group(0).decode()


def multipart(name: str, content: bytes) -> tuple[dict[str, str], bytes]:
    head = f'--b\r\nContent-Disposition: form-data; name="f"; filename="{name}"\r\nContent-Type: text/csv\r\n\r\n'
    return {"Content-Type": "multipart/form-data; boundary=b"}, head.encode() + content + b"\r\n--b--\r\n"


def test_uploads_end_at_their_limit(studio: Studio) -> None:
    visitor = cookie(studio)
    where = uploads(studio, visitor)
    for size, status in ((1 << 10, 200), ((LIMIT << 20) + 1, 413), (40 << 20, 413)):
        headers, body = multipart("shop.csv", b"a,b\n" * (size // 4))
        assert ask(studio, where, {**visitor, **headers}, "POST", body)[0] == status, size
    headers, _ = multipart("shop.csv", b"")
    assert ask(studio, where, {**visitor, **headers, "Content-Length": str(1 << 50)}, "POST")[0] == 413
    assert ask(studio, where, headers, "POST", b"")[0] == 403


def test_an_upload_cannot_choose_its_folder(studio: Studio) -> None:
    visitor = cookie(studio)
    where = uploads(studio, visitor)
    for name in ("../../../../../../tmp/sordino-escaped.csv", "/tmp/sordino-escaped.csv", "..", ".bashrc"):
        headers, body = multipart(name, b"a,b\n")
        ask(studio, where, {**visitor, **headers}, "POST", body)
    time.sleep(0.5)
    assert not Path("/tmp/sordino-escaped.csv").exists()


def test_a_thousand_requests_at_once_leave_it_alive(studio: Studio) -> None:
    visitor = cookie(studio)
    answers: list[int] = []

    def many() -> None:
        for k in range(100):
            with contextlib.suppress(OSError, http.client.HTTPException):
                answers.append(ask(studio, f"/?token=guess{k}")[0])

    threads = [threading.Thread(target=many) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) >= 900
    assert set(answers) <= {403, 503}
    begun = time.monotonic()
    assert ask(studio, session(studio, visitor), visitor)[0] == 200
    assert time.monotonic() - begun < 10


def test_a_thousand_pages_for_somebody_who_may_leave_it_alive(studio: Studio) -> None:
    """A tab that reloads without end: sessions and folders stay few, and the next page comes."""
    visitor = cookie(studio)
    answers: list[int] = []

    def many() -> None:
        for _ in range(100):
            with contextlib.suppress(OSError, http.client.HTTPException):
                answers.append(ask(studio, "/", visitor)[0])

    threads = [threading.Thread(target=many) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) >= 900
    assert set(answers) <= {303, 503}
    begun = time.monotonic()
    assert ask(studio, session(studio, visitor), visitor)[0] == 200
    assert time.monotonic() - begun < 10


def test_slow_and_broken_requests_do_not_hold_it_up(studio: Studio) -> None:
    lines = [socket.create_connection(("127.0.0.1", studio.port), 5) for _ in range(30)]
    try:
        for number, line in enumerate(lines):
            line.sendall((b"GET / HTTP/1.1\r\nHost: x", b"\x16\x03\x01\x00\xa5", b"POST / HTTP/1.1\r\n")[number % 3])
        assert ask(studio, "/", cookie(studio))[0] == 303
    finally:
        for line in lines:
            line.close()


def test_the_end_leaves_nothing_behind(tmp_path: Path) -> None:
    for how in (signal.SIGINT, signal.SIGKILL):
        private = tmp_path / how.name
        private.mkdir()
        os.environ["TMPDIR"] = str(private)
        try:
            with started(tmp_path) as studio:
                visitor = cookie(studio)
                headers, body = multipart("shop.csv", b"wine,beer\n" * 1000)
                assert ask(studio, uploads(studio, visitor), {**visitor, **headers}, "POST", body)[0] == 200
                end = time.monotonic() + 20  # it is put there after the answer
                while not list(private.glob("sordino-studio-*/*/shop.csv")):
                    assert time.monotonic() < end
                    time.sleep(0.05)
                studio.process.send_signal(how)
                code = studio.process.wait(20)
        finally:
            del os.environ["TMPDIR"]
        end = time.monotonic() + 20
        while list(private.glob("sordino-studio-*")) and time.monotonic() < end:
            time.sleep(0.1)
        assert not list(private.glob("sordino-studio-*"))
        assert code == (130 if how == signal.SIGINT else -9)
        assert "wine" not in (tmp_path / "studio.log").read_text()


def test_what_a_studio_and_its_guard_left_when_both_were_killed_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = tmp_path / "private"
    private.mkdir()
    monkeypatch.setenv("TMPDIR", str(private))
    with started(tmp_path) as studio:
        visitor = cookie(studio)
        headers, body = multipart("shop.csv", b"wine,beer\n" * 1000)
        assert ask(studio, uploads(studio, visitor), {**visitor, **headers}, "POST", body)[0] == 200
        end = time.monotonic() + 20
        while not list(private.glob("sordino-studio-*/*/shop.csv")):
            assert time.monotonic() < end
            time.sleep(0.05)
        (left,) = private.glob("sordino-studio-*")
        guards = [
            int(path.parent.name)
            for path in Path("/proc").glob("[0-9]*/cmdline")
            if str(left).encode() in path.read_bytes()
        ]
        assert len(guards) == 1
        os.kill(guards[0], signal.SIGKILL)
        studio.process.kill()
        studio.process.wait(20)
    assert list(left.glob("*/shop.csv")), "nobody was left to remove it"
    with started(tmp_path):
        assert left.exists(), "it may be one that is just being made"
    os.utime(left, (time.time() - 120,) * 2)
    with started(tmp_path):
        assert not left.exists()
        assert len(list(private.glob("sordino-studio-*"))) == 1
