"""Takes a shell command line apart, without running it.

In: any text that an agent gave to a shell. Out: the simple commands in it as words, what
they read and run, and whether they merely look around. Unbalanced quotes, here-documents
and half a line are taken as far as they go: nothing is fatal.
Must not know: files, processes, what the commands print.
"""

from audition.shell.ends import ALL, LAST, OWN, ZERO
from audition.shell.reading import (
    Step,
    in_folder,
    is_look_around,
    prints_in,
    reads_in,
    run_by,
    runs_in,
    split_commands,
    steps_of,
)
from audition.shell.variables import spelled
from audition.shell.words import read_words
from audition.shell.writing import touched_by, writes_in

__all__ = [
    "ALL",
    "LAST",
    "OWN",
    "ZERO",
    "Step",
    "in_folder",
    "is_look_around",
    "prints_in",
    "read_words",
    "reads_in",
    "run_by",
    "runs_in",
    "spelled",
    "split_commands",
    "steps_of",
    "touched_by",
    "writes_in",
]
