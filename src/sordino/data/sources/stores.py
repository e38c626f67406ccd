"""Files in object stores, by address: s3://, gs://, abfs:// and the others that Arrow's file systems know.

Credentials come from where the store's own tools look for them (environment, profile, role). They may not stand in the
address, which is shown in messages and kept in reports.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from sordino.errors import InputError

__all__ = ["filesystem_of", "is_address", "read_address"]

SCHEMES = ("s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs", "file")
ADDRESS = re.compile(rf"({'|'.join(SCHEMES)})://")
SECRETS = re.compile(r"(access_key|secret_key|session_token|account_key|sas_token|credential|password)=", re.IGNORECASE)


def is_address(name: str) -> bool:
    """Whether a name is the address of something in a store, and not the path of a file."""
    return ADDRESS.match(name) is not None


def filesystem_of(address: str) -> tuple[Any, str]:
    """The file system that an address is about, and the path there."""
    parts = urlsplit(address)
    user = parts.netloc.rpartition("@")[0]  # of abfs://CONTAINER@ACCOUNT... it is no user
    if ":" in user or (user and not parts.scheme.startswith("abfs")) or SECRETS.search(parts.query):
        raise InputError(
            "credentials may not stand in an address: it is shown and kept",
            hint="Put them where the tools of the store look for them: the environment, or a profile.",
        )
    import pyarrow as pa
    from pyarrow import fs

    try:
        found, path = fs.FileSystem.from_uri(address)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _refused(error, address) from None
    return found, path


def read_address(address: str) -> bytes:
    """All bytes of a file in a store."""
    import pyarrow as pa
    from pyarrow import fs

    found, path = filesystem_of(address)
    try:
        kind = found.get_file_info(path).type
        if kind == fs.FileType.NotFound:
            raise InputError("there is no such file", where=address)
        if kind == fs.FileType.Directory:
            raise InputError("this is a folder, not a file", where=address)
        with found.open_input_stream(path) as stream:
            return bytes(stream.read())
    except (pa.ArrowException, OSError) as error:
        raise _refused(error, address) from None


def _refused(error: Exception, address: str) -> InputError:
    """What the store said; what it says is about places and rights, not about contents."""
    said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    return InputError(
        f"the store cannot be read ({said})", where=address, hint="Is the address right, and are there credentials?"
    )
