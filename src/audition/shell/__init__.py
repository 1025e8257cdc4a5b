"""Takes a shell command line apart, without running it.

In: any text that an agent gave to a shell. Out: the simple commands in it as words, what
they read and run, and whether they merely look around. Unbalanced quotes, here-documents
and half a line are taken as far as they go: nothing is fatal.
Must not know: files, processes, what the commands print.
"""

from audition.shell.reading import is_look_around, reads_in, runs_in, split_commands
from audition.shell.writing import writes_in

__all__ = ["is_look_around", "reads_in", "runs_in", "split_commands", "writes_in"]
