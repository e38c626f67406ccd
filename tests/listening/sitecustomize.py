"""A process with this folder on its path writes down whom it asks for or connects to, in the file $SORDINO_HEARD."""

import os
import sys


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        place = arguments[0] if event.startswith("socket.get") else arguments[-1]
        with open(os.environ["SORDINO_HEARD"], "a", encoding="utf-8") as heard:
            print(event, place[0] if isinstance(place, tuple) else place, sep="\t", file=heard)


if "SORDINO_HEARD" in os.environ:
    sys.addaudithook(_hear)
