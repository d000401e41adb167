"""Compaction: what takes less room stands for the older part of a history (WIRE 8.2, `compaction/*`).

`room` decides whether it is time, `cut` what is summed up, `kept` what stays word for word beside the summary, `prune`
whether shortening old results is enough, `ask` makes the requests; all of these are pure. `compact` acts.
"""
