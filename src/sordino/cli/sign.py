"""`sordino sign`: put the publisher's signature beside the manifest of a release."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from sordino.cli.asked import Shown
from sordino.cli.options import Json
from sordino.errors import InputError


def sign(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="A release folder, or its 'publish' part.", show_default=False)
    ],
    key: Annotated[Path, typer.Option(metavar="FILE", help="The secret key (Ed25519, PEM).", show_default=False)],
    new: Annotated[bool, typer.Option("--new", help="Make that key first; FILE.pub is to be told.")] = False,
    password: Annotated[bool, typer.Option("--password", help="Ask for the password of the secret key.")] = False,
    json_: Json = None,
) -> None:
    """Sign the manifest of a release, which holds the checksums of all its files.

    The signature is one of minisign, and lies in publish/manifest.json.minisig. Tell your public key on another way
    than the release: whoever knows it runs sordino verify DIR --key KEY, or types it into check.html. Who has minisign
    can do both without sordino: minisign -Sm manifest.json, minisign -Vm manifest.json -P KEY.
    """
    from sordino.cli.page import Points, Verdict
    from sordino.cli.streams import check_targets, write_whole
    from sordino.release.sign import new_key, sign_manifest
    from sordino.verify.folder import published_part
    from sordino.verify.signature import SIGNATURE

    shown = Shown(json_)
    publish = published_part(folder)
    public = Path(f"{key}.pub")
    check_targets({"--json": shown.file}, [str(key), str(public)])
    if new and (key.exists() or public.exists()):
        raise InputError("there is already a key of this name; nothing was signed", where=str(key))
    if not new and not key.is_file():
        raise InputError("there is no such key", where=str(key), hint="Make one: --new")
    secret = _asked(new) if password else None
    if new:
        pem, told = new_key(secret)
        with open(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(pem)
        write_whole(public, f"untrusted comment: public key of a publisher\n{told.line()}\n".encode())
    told = sign_manifest(publish, key.read_bytes(), secret)
    lines = [f"The signature is {publish / SIGNATURE}.", f"Your public key, to be told: {told.line()}"]
    if new:
        lines.append(f"Your secret key is {key}: keep it to yourself.")
    plain = {"signature": str(publish / SIGNATURE), "public_key": told.line(), "new_key": str(key) if new else None}
    shown.tell(plain, lambda: [Verdict("The manifest is signed.", good=True), Points(tuple(lines))])


def _asked(new: bool) -> bytes:
    return str(typer.prompt("Password of the key", hide_input=True, confirmation_prompt=new, err=True)).encode()
