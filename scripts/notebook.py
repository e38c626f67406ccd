"""Runs docs/tutorial.ipynb from the top and stores what it shows: `make notebook`."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).resolve().parent.parent / "docs" / "tutorial.ipynb"


def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook after a run in `folder`; a CellExecutionError if a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # the hours at which cells ran
    return notebook


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        nbformat.write(executed(NOTEBOOK, Path(scratch)), NOTEBOOK)
    print(NOTEBOOK)
