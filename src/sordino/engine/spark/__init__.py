"""Apache Spark: the same audit, the same methods, with the records in a cluster. Only this room imports pyspark.

**What runs where.** Counting, grouping and joining are DataFrame operations. Kernels run in tasks that get whole groups
of records as Arrow tables, one task a group, one thread a task. The driver holds the vocabulary with its supports, the
policy, and results; never a record. Nothing here needs more of a session than DataFrames, so that a Connect session
will do.

**The same bytes.** Nothing depends on the number of executors, on the order in which tasks end, or on how often one was
tried: records are numbered by what they hold, groups and parts are found by names and supports, and every division has
a stated number of pieces (routing.py). A task that is tried again does the same again.
"""
