"""The independent checker of releases: it imports `errors`, `data` and `policy`, and nothing else of ours.

`folder` checks a release folder, `chain` one together with earlier ones, `proof` a proof against data.
"""
