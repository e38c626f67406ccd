"""`sordino studio`: a page on this machine that does what the commands do, for whoever would rather not type them.

docs/notes/studio.md says how it is built and what keeps it safe. Everything here needs NiceGUI, and only the command
`studio` imports it.
"""
