"""The embedded stand-in for a model: deterministic, free, and of no intelligence whatever.

`choice` picks a skill by the words of its description, `act` does what a skill's body says,
`oracle` does what a case expects; all three only think. `shown` reads the workspace, `front` a
front matter that is plain, and `__main__` is the program. Everything here is standard library,
because a trial starts it anew; only a front matter that is not plain takes more.
"""
