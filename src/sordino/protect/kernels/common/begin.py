"""A ledger that begins with a table from which something was deleted already."""

from __future__ import annotations

from sordino.engine.kernels.compiled import kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.common.ledger import delete_marked


@kernel
def delete_places(g, records, out):  # type: ignore[no-untyped-def]
    """Deletes every place k of the given records with out[k]; all of these records are then queued."""
    for u in records:
        if raised(g.stop):
            break
        delete_marked(g, u, out[g.ptr[u] : g.ptr[u + 1]])
