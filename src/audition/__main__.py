"""Where the command `audition` begins.

In: the words of the command line. Out: an exit code.
Must not know: anything that takes long to import; `--version` answers before that.
"""

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from audition import __version__

        print(f"audition {__version__}")  # noqa: T201
        return
    import gc

    # Sessions are made of JSON and hold no circles: looking for them took a quarter of grading.
    gc.set_threshold(50_000, 20, 20)
    from audition.cli import run_words

    sys.exit(run_words(sys.argv[1:]))


if __name__ == "__main__":
    main()
