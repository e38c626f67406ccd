"""Random tables through everything that sordino does, each answer held against the oracles.

`python -m fuzz run` makes cases from a seed and checks them in processes that are killed if a case does not end;
`python -m fuzz replay FILE` shows a finding again. See CONTRIBUTING.
"""
