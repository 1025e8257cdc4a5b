"""Runs in a browser: a list of runs, each run, its trials, and each session with its evidence.

In: the folder that holds the runs. Out: pages, over HTTP on this machine or as one file.
Must not know: how runs are asked or graded; it changes nothing.
"""

from audition.viewer.app import Views, make_app
from audition.viewer.one_file import write_one_file

__all__ = ["Views", "make_app", "write_one_file"]
