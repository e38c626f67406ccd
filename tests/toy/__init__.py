"""A toy kind of policy, and methods for it and for an old kind: nothing of sordino knows that they are here.

Under a crowd policy nobody may stand alone: every combination of values of some columns is that of k people at least.
"""
