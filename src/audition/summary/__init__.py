"""A run in figures: how often each skill and each arm did right, and how sure that is.

In: Records and the Inputs of their run. Out: a Summary. `run`, `show` and `grade` count alike.
Must not know: files, formats, the screen.
"""
