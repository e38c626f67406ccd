"""The steps of the page, one file each; `build(tab)` puts a step on the page."""
