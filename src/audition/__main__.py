"""Where the command `audition` begins.

In: the words of the command line. Out: an exit code.
Must not know: anything that takes long to import; `--version` answers before that.
"""

import os
import sys


def _open_what_is_closed() -> None:
    """Give a stream that the shell closed (`>&-`) to nobody, before a file of ours gets its number."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            os.dup2(nobody := os.open(os.devnull, os.O_RDWR), number)
            if nobody > 2:
                os.close(nobody)
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115


def main() -> None:
    """Run the command line and leave with its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from audition import __version__

        print(f"audition {__version__}")  # noqa: T201
        return
    _open_what_is_closed()
    import gc

    # Sessions are made of JSON and hold no circles: looking for them took a quarter of grading.
    # What is imported and planned holds none either, and one look at it takes 8 ms.
    gc.set_threshold(200_000, 20, 20)
    from audition.cli import run_words

    sys.exit(run_words(sys.argv[1:]))


if __name__ == "__main__":
    main()
