"""Which cases a run is about: found, chosen, and made where skills have none.

In: Wishes. Out: suites. Must not know: agents, how cases are run.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from audition.case_file import load_suites, read_suites
from audition.commands.finish import say
from audition.commands.wishes import Wishes
from audition.counted import counted
from audition.errors import UsageError
from audition.model import Skill, Suite
from audition.report.escape import visible
from audition.selection import Wanted, choose
from audition.skills import find_skills
from audition.store import find_run, read_inputs, read_records


def pick_suites(wishes: Wishes) -> tuple[Suite, ...]:
    """The suites below the paths, with the cases that the options leave."""
    parted = [path.partition("::") for path in wishes.paths]
    files = [Path(file) for file, _, _ in parted]
    files = list(dict.fromkeys(files)) or [Path()]
    suites = _with_skills(_with_generated(files, wishes), files)
    nodes = tuple((_files_at(file, suites), case) for file, colons, case in parted if colons)
    whole = [_files_at(file, suites) for file, colons, _ in parted if nodes and not colons]
    wanted = Wanted(
        suite=wishes.suite,
        skills=wishes.skill,
        cases=wishes.case,
        nodes=nodes,
        whole=frozenset().union(*whole),
        expression=wishes.k,
        max_cases=wishes.max_cases,
        max_skills=wishes.max_skills,
        only=_failed_last(wishes, suites) if wishes.lf else None,
    )
    chosen = choose(suites, wanted)
    for suite in chosen:
        _tell_losses(suite)
    return chosen


def _tell_losses(suite: Suite) -> None:
    """Say what of a case file is not used: a `check:` that nobody reads checks nothing."""
    lost = [each for each in suite.losses if each.severity != "note"]
    if suite.format != "yaml" and lost:
        where = visible(suite.file)
        say(f"note: {where}: {len(lost)} left out or read differently; see `audition cases`")
        return
    for each in lost:
        say("\n".join(visible(line) for line in f"{each.severity}: {each}".splitlines()))


def _files_at(given: str, suites: Iterable[Suite]) -> frozenset[str]:
    """The files of the cases at or below a path, however it and they are spelled."""
    root = Path(given).resolve()
    pairs = {(suite.file, case.file) for suite in suites for case in suite.cases}
    return frozenset(file for named, file in pairs if _is_at(root, named) or _is_at(root, file))


def _is_at(root: Path, file: str) -> bool:
    path = Path(file).resolve()
    return root in (path, *path.parents)


def _with_skills(suites: Sequence[Suite], files: Sequence[Path]) -> tuple[Suite, ...]:
    """The suites that have skills; without them every negative would pass for no reason."""
    bare = [each for each in suites if each.format != "yaml" and not each.skills and each.cases]
    kept = tuple(each for each in suites if each not in bare)
    named = [each for each in bare if Path(each.file) in files]
    if bare and (named or not any(each.cases for each in kept)):
        raise UsageError(
            f"no skills were found for {(named or bare)[0].file}",
            "put them where its harness has them, or convert it with `audition cases --to yaml`",
        )
    for each in bare:
        say(f"note: {each.file} is passed by: no skills were found for it")
    return kept


def _with_generated(files: Sequence[Path], wishes: Wishes) -> tuple[Suite, ...]:
    """The suites, and made ones for skills without cases: where asked for, and as pkbllm does."""
    folders = [each for each in files if each.is_dir()]
    if wishes.generate_missing:
        suites, findings = read_suites(files, wishes.format)
        suites = suites if suites or not findings else load_suites(files, wishes.format)
        made = _make_suites(_missing(_skills(folders, suites), suites), "default", ())
    else:
        suites = load_suites(files, wishes.format)
        made = generated_as_pkbllm_does(files, suites)
    for suite in made:
        are = counted(len(suite.cases), "is", "are")
        say(f"note: no cases for {suite.cases[0].skill}: {are} generated")
    return (*suites, *made)


def generated_as_pkbllm_does(files: Sequence[Path], suites: Sequence[Suite]) -> tuple[Suite, ...]:
    """In a folder with suites of pkbllm's: cases for its skills that have none."""
    if not any(each.is_dir() for each in files or [Path()]):
        return ()
    theirs = [each for each in suites if each.format == "pkbllm"]
    known = {skill.path: skill for suite in theirs for skill in suite.skills}
    return _make_suites(_missing(known.values(), suites), "pkbllm", theirs)


def _make_suites(
    skills: Sequence[Skill], policy: str, beside: Sequence[Suite]
) -> tuple[Suite, ...]:
    if not skills:
        return ()
    from audition.cases.generated import suites_for

    return suites_for(skills, policy, beside)


def _skills(folders: Sequence[Path], suites: Iterable[Suite]) -> Iterable[Skill]:
    found = find_skills(folders) if folders else ()
    offered = [skill for suite in suites for skill in suite.skills]
    return {each.path: each for each in (*offered, *found)}.values()


def _missing(skills: Iterable[Skill], suites: Iterable[Suite]) -> list[Skill]:
    """The skills that no case is about."""
    about = {
        name for suite in suites for case in suite.cases for name in (case.skill, *case.any_of)
    }
    return [each for each in skills if each.name not in about]


def _failed_last(wishes: Wishes, suites: Iterable[Suite]) -> tuple[tuple[str, str], ...]:
    last = find_run(None, Path(wishes.out))
    stood = read_inputs(last, plan=False).stood
    # The last run may have been started in another folder, where its files had other names.
    here = {Path(case.file).resolve(): case.file for suite in suites for case in suite.cases}
    failed = tuple(
        dict.fromkeys(
            (here.get(Path(stood, each.file).resolve(), each.file), each.case)
            for each in read_records(last)
            if each.status in ("fail", "error")
        )
    )
    if not failed:
        raise UsageError(f"nothing failed in the last run, {last.name}", "run without `--lf`")
    return failed
