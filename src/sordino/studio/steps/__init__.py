"""The steps of the page, one file each; `build(board)` puts a step on the page."""
