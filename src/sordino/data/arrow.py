"""Arrow arrays made without pandas: Arrow's own ways load it if it is there, which takes long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["arrow_numbers", "arrow_texts"]


def arrow_numbers(values: npt.NDArray[np.signedinteger[Any]]) -> Any:
    """Whole numbers as an Arrow array."""
    import pyarrow as pa

    type_ = pa.int32() if values.dtype == np.int32 else pa.int64()
    return pa.Array.from_buffers(type_, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def arrow_texts(texts: Sequence[str]) -> Any:
    """Texts as an Arrow array."""
    import pyarrow as pa

    pieces = [text.encode() for text in texts]
    bounds = np.zeros(len(pieces) + 1, dtype=np.int32)
    np.cumsum([len(piece) for piece in pieces], out=bounds[1:])
    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(b"".join(pieces))]
    return pa.Array.from_buffers(pa.string(), len(pieces), buffers)
