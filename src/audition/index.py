"""history.db: an index over all runs, for questions about time; delete it at will.

In: runs and their records, as the store reads them. Out: rows, and rates over time.
Must not know: how runs are kept. The files are the truth: what is missing, outdated,
corrupt or of an older version is made again from them. Rates come from a table with one row
for each run, skill and arm: a scan of a million trials takes a second.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from audition.errors import AuditionError
from audition.model import Inputs, Json, Record, Value

if TYPE_CHECKING:
    import sqlite3

VERSION = 3
TABLES = """
CREATE TABLE runs (run_id TEXT PRIMARY KEY, began TEXT, stamp INTEGER, provider) WITHOUT ROWID;
CREATE TABLE trials (
  run_id TEXT, began TEXT, skill TEXT, "case" TEXT, agent TEXT, delivery TEXT, model TEXT,
  trial INTEGER, should_trigger INTEGER, status TEXT, seconds REAL, dollars REAL,
  input_tokens INTEGER, output_tokens INTEGER, policy TEXT, skill_digest TEXT,
  agent_version TEXT, dir TEXT, reused TEXT
);
CREATE INDEX trials_by_run ON trials (run_id);
CREATE INDEX trials_by_case ON trials (skill, "case", began);
CREATE TABLE rates (
  run_id TEXT, began TEXT, skill TEXT, agent TEXT, delivery TEXT, model TEXT, policy TEXT,
  skill_digest TEXT, agent_version TEXT, positives_passed INTEGER, positives_of INTEGER,
  negatives_passed INTEGER, negatives_of INTEGER, errors INTEGER, ineligible INTEGER,
  seconds REAL, dollars REAL
);
CREATE INDEX rates_by_run ON rates (run_id);
CREATE INDEX rates_by_time ON rates (began);
"""
# Only what passed or failed counts: trouble with the agent says nothing about the skill.
ROLL_UP = """
INSERT INTO rates
SELECT run_id, min(began), skill, agent, delivery, model, policy,
  max(skill_digest), max(agent_version), sum(should_trigger AND status = 'pass'),
  sum(should_trigger AND status IN ('pass', 'fail')), sum(NOT should_trigger AND status = 'pass'),
  sum(NOT should_trigger AND status IN ('pass', 'fail')),
  sum(status = 'error'), sum(status = 'ineligible'), sum(seconds), sum(dollars * (reused = ''))
FROM trials WHERE run_id = ? GROUP BY skill, agent, delivery, model, policy
"""
RATES = """
SELECT run_id, began, skill, agent, delivery, model, policy, skill_digest, agent_version,
  positives_passed, positives_of, negatives_passed, negatives_of, errors, ineligible,
  seconds, dollars
FROM rates WHERE (?1 IS NULL OR skill = ?1) AND began >= ?2
ORDER BY began, run_id, skill, agent, delivery, model, policy
"""
# The newest only: prices change, and a million rows take a second to read.
AVERAGES = """
SELECT skill, agent, delivery, model, avg(seconds), avg(dollars), avg(input_tokens + output_tokens),
  count(*) FROM trials WHERE status IN ('pass', 'fail')
  AND run_id IN (SELECT run_id FROM runs WHERE ifnull(provider, 'live') = ?)
  AND rowid > (SELECT ifnull(max(rowid), 0) FROM trials) - 20000
GROUP BY skill, agent, delivery, model
"""


class Average(Value, frozen=True, kw_only=True):
    """What a trial of one skill in one arm took on average; null where unknown."""

    skill: str | None
    agent: str
    delivery: str
    model: str | None
    seconds: float | None
    dollars: float | None
    tokens: float | None
    trials: int


class Rates(Value, frozen=True, kw_only=True):
    """One skill in one arm of one run; null where unknown."""

    run_id: str
    began: str
    skill: str | None
    agent: str
    delivery: str
    model: str | None
    policy: str
    skill_digest: str
    agent_version: str
    positives_passed: int
    positives_of: int
    negatives_passed: int
    negatives_of: int
    errors: int
    ineligible: int
    seconds: float | None
    dollars: float | None


class Kept(Value, frozen=True, kw_only=True):
    """The runs on disk: a stamp for each, which changes with its results, and how to read one."""

    stamps: dict[str, int]
    read: Callable[[str], tuple[Inputs, Iterable[Record]]]


def update_index(
    out: Path, run_id: str, kept: Kept, tell: Callable[[str], None] | None = None
) -> None:
    """Hold a run as it is now. Trouble with the index never fails a run: it heals later."""
    import sqlite3

    path, tell = out / "history.db", tell or _on_stderr
    try:
        with closing(_open(path, tell)) as rows:
            _hold(rows, run_id, kept)
    except (sqlite3.Error, AuditionError) as error:
        tell(f"{path} was not updated: {error}")


def read_rates(
    out: Path,
    kept: Kept,
    *,
    skill: str | None = None,
    since: str = "",
    tell: Callable[[str], None] | None = None,
) -> list[Rates]:
    """Rates per run, skill and arm, the oldest first; the index is brought up to date before."""
    import sqlite3

    path, tell = out / "history.db", tell or _on_stderr
    if not out.is_dir():
        return []
    try:
        try:
            return _ask(_open(path, tell), kept, skill, since, tell)
        except sqlite3.DatabaseError as error:
            if not _is_corrupt(error):
                raise
            # Pages may be damaged behind a sound header, and show only when they are read.
            _discard(path, str(error), tell)
            return _ask(_open(path, tell), kept, skill, since, tell)
    except sqlite3.Error as error:
        tell(f"{path} cannot be used ({error}); reading all runs instead")
        return _ask(_connect(":memory:"), kept, skill, since, tell)


def read_averages(out: Path, provider: str = "live") -> list[Average]:
    """What trials with that provider took lately; nothing where no index can be read."""
    import sqlite3

    if not (out / "history.db").is_file():
        return []
    try:
        with closing(_connect(str(out / "history.db"))) as rows:
            found = rows.execute(AVERAGES, (provider,)).fetchall()
    except (sqlite3.Error, _Outdated):
        return []
    return [Average(**dict(zip(Average.__struct_fields__, row, strict=True))) for row in found]


def _ask(
    rows: "sqlite3.Connection",
    kept: Kept,
    skill: str | None,
    since: str,
    tell: Callable[[str], None],
) -> list[Rates]:
    with closing(rows):
        _heal(rows, kept, tell)
        found = rows.execute(RATES, (skill, since))
        return [Rates(**dict(zip(Rates.__struct_fields__, row, strict=True))) for row in found]


def _heal(rows: "sqlite3.Connection", kept: Kept, tell: Callable[[str], None]) -> None:
    """Make the index hold exactly the runs on disk, as they are."""
    held = dict(rows.execute("SELECT run_id, stamp FROM runs"))
    for run_id in held.keys() - kept.stamps.keys():
        with _transaction(rows):
            _forget(rows, run_id)
    for run_id, stamp in kept.stamps.items():
        if held.get(run_id) != stamp:
            try:
                _hold(rows, run_id, kept)
            except AuditionError as error:
                tell(f"the run {run_id} is left out: {error}")


def _hold(rows: "sqlite3.Connection", run_id: str, kept: Kept) -> None:
    inputs, records = kept.read(run_id)
    # The skills on trial come first; those of a baseline may share their names.
    digests = {skill.name: skill.digest for skill in reversed(inputs.skills.values())}
    with _transaction(rows):
        _forget(rows, run_id)
        found = (run_id, inputs.began, kept.stamps.get(run_id, 0), inputs.settings.get("provider"))
        rows.execute("INSERT INTO runs VALUES (?, ?, ?, ?)", found)
        rows.executemany(
            f"INSERT INTO trials VALUES ({', '.join('?' * 19)})",  # noqa: S608
            (_row(run_id, inputs.began, each, digests) for each in records if not each.variant),
        )
        rows.execute(ROLL_UP, (run_id,))


def _forget(rows: "sqlite3.Connection", run_id: str) -> None:
    for table in ("runs", "trials", "rates"):
        rows.execute(f"DELETE FROM {table} WHERE run_id = ?", (run_id,))  # noqa: S608


def _row(run_id: str, began: str, record: Record, digests: Mapping[str, str]) -> tuple[Json, ...]:
    return (
        *(run_id, began, record.skill, record.case, record.agent, record.delivery),
        *(record.model, record.trial, record.should_trigger, record.status),
        *(record.seconds, record.usage.dollars),
        *(record.usage.input_tokens, record.usage.output_tokens),
        *(record.policy, digests.get(record.skill or "", ""), record.agent_version),
        *(record.dir, record.reused),
    )


@contextmanager
def _transaction(rows: "sqlite3.Connection") -> Iterator[None]:
    # IMMEDIATE: a reader that turns writer later gets "locked" without any wait.
    rows.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if rows.in_transaction:
            rows.execute("ROLLBACK")
        raise
    rows.execute("COMMIT")


def _open(path: Path, tell: Callable[[str], None]) -> "sqlite3.Connection":
    import sqlite3

    try:
        return _connect(str(path))
    except _Outdated as error:
        _discard(path, str(error), tell)
    except sqlite3.DatabaseError as error:
        if not _is_corrupt(error):
            raise
        _discard(path, str(error), tell)
    return _connect(str(path))


class _Outdated(Exception):
    """The index was made by another version."""


def _connect(path: str) -> "sqlite3.Connection":
    import sqlite3

    rows = sqlite3.connect(path, timeout=30, isolation_level=None)
    try:
        rows.execute("PRAGMA journal_mode = WAL")
        rows.execute("PRAGMA synchronous = NORMAL")
        version = rows.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            with _transaction(rows):
                _make_tables(rows)
    except BaseException:
        rows.close()
        raise
    return rows


def _make_tables(rows: "sqlite3.Connection") -> None:
    # Looked at again inside the transaction: another harness may have been quicker.
    version = rows.execute("PRAGMA user_version").fetchone()[0]
    if version == VERSION:
        return
    if version or rows.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise _Outdated(f"it has version {version}, not {VERSION}")
    for statement in TABLES.split(";"):
        rows.execute(statement)
    rows.execute(f"PRAGMA user_version = {VERSION}")


def _is_corrupt(error: "sqlite3.Error") -> bool:
    import sqlite3

    # A lock, a full disk and a read-only folder are no reason to throw an index away.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _discard(path: Path, why: str, tell: Callable[[str], None]) -> None:
    tell(f"{path} is made again from the runs: {why}")
    for end in ("", "-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)


def _on_stderr(text: str) -> None:
    print(f"note: {text}", file=sys.stderr)  # noqa: T201
