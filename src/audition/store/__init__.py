"""The store: a run is a folder of records, and the files are the truth.

In: what was asked for, sealed trials, records. Out: the same, read back.
Must not know: how a trial is run or graded, what people see.

    <out>/<run-id>/run.json plan.jsonl     what was asked for            asked.py
                   work/<place>/           one folder a trial            run.py
                   progress.jsonl          one line a finished trial     records.py
                   results.json            the records in plan order     records.py
                   run.lock .staging/      who runs it, what is half-made

`grade.json` in a trial's folder means finished; progress.jsonl only saves opening ten
thousand files, and is mended from them.
"""

from audition.store.asked import read_inputs, read_places, read_plan, write_inputs
from audition.store.ended import Ended, read_ended, write_ended
from audition.store.files import in_words, write_derived, write_whole
from audition.store.find import check_id, claim_id, find_run, list_results, list_runs
from audition.store.lock import writes_run
from audition.store.records import (
    Reads,
    read_record,
    read_records,
    read_sealed,
    results_stand,
    write_results,
)
from audition.store.run import Run, open_run, refuse_taken
from audition.store.state import State, read_state

__all__ = [
    "Ended",
    "Reads",
    "Run",
    "State",
    "check_id",
    "claim_id",
    "find_run",
    "in_words",
    "list_results",
    "list_runs",
    "open_run",
    "read_ended",
    "read_inputs",
    "read_places",
    "read_plan",
    "read_record",
    "read_records",
    "read_sealed",
    "read_state",
    "refuse_taken",
    "results_stand",
    "write_derived",
    "write_ended",
    "write_inputs",
    "write_results",
    "write_whole",
    "writes_run",
]
