"""One attempt at a trial: stage it, ask the agent, seal what it leaves behind.

In: a Trial, an agent that is ready, and the means that all share. Out: a Sealed; the raw
output and the requests are in the folder. Must not know: how often it is tried, grading,
the store.
"""

import os
import shlex
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from audition.agent import Ask, Command, Server
from audition.beside import keep_beside
from audition.called import match_name, names_of
from audition.config import McpSettings
from audition.errors import AuditionError
from audition.installed import Ready, with_node
from audition.model import Offer, Sealed, Skill, Trial, Value
from audition.process import Start, run_command
from audition.provider import Lane, LaneReport, Provider, compare_listing
from audition.provider.log import NO_SECRET, hide_text
from audition.sandbox import Boxed, Sandbox
from audition.sealed import case_folder
from audition.sign_in import find_sign_in
from audition.tree import remove_tree
from audition.workspace import Stage, seal_files, staged


class Means(Value, frozen=True, kw_only=True):
    """What every attempt needs, and all of them share."""

    run: Path
    """The folder whose `inputs/` hold the skills and fixtures."""
    skills: Mapping[str, Skill]
    sandbox: Sandbox
    provider: Provider
    mcp: McpSettings = McpSettings()
    bare: bool = False
    """No private home and no repository of its own: the sandbox `none`."""
    env: Mapping[str, str] = msgspec.field(default_factory=os.environ.copy)
    """The user's environment. A copy, as `os.environ` takes every value apart anew: 0.1 ms."""
    stood: str = ""
    """The folder the run was started in: paths of case files are seen from there."""
    remove: Callable[[str], None] = remove_tree
    """Removes the folders of a trial that is over."""
    stop: Callable[[], bool] = lambda: False
    """True once the user wants running agents ended now."""


def attempt(
    trial: Trial, folder: Path, ready: Ready, means: Means, watch: Callable[[bytes], str]
) -> Sealed:
    """Ask the agent in a workspace of its own, and seal what it leaves behind."""
    began = datetime.now(UTC).isoformat(timespec="milliseconds")
    argv: tuple[str, ...] = ()
    doing = "set-up: "
    lane = _open_lane(trial, folder, ready, means)
    try:
        with staged(
            trial,
            run=means.run,
            agent=ready.agent,
            skills=means.skills,
            bare=means.bare,
            remove=means.remove,
        ) as stage:
            command = ready.agent.command(make_words(trial, stage, ready, means, lane.url))
            argv = tuple(map(hide_text, command.argv))
            boxed = _box(command, stage, ready, means, lane.url)
            start = _start(trial, boxed, command, stage, (folder, means.stood))
            finished = run_command(msgspec.structs.replace(start, watch=watch, stop=means.stop))
            doing = "what it left cannot be kept: "
            changes = seal_files(stage, f"{folder}/files")
            keep_beside(stage.place.home, ready.agent.beside, folder)
    except (AuditionError, OSError) as error:
        hint = f" ({error.hint})" if isinstance(error, AuditionError) and error.hint else ""
        word = "" if str(error).startswith("not signed in") else doing
        return Sealed(trial=trial, argv=argv, problem=f"{word}{error}{hint}", began=began)
    finally:
        report = lane.close()
    return Sealed(
        trial=trial,
        argv=argv,
        agent_version=ready.version,
        exit_code=finished.exit_code,
        seconds=round(finished.seconds, 4),
        stopped=finished.stopped,
        # What the watch said holds also where the program had ended by itself by then.
        problem=_name_server(finished.reason, means.mcp)
        if finished.stopped in ("", "fault")
        else "",
        truncated=finished.truncated,
        changes=changes,
        catalogue=_catalogue(report, trial, means),
        also_shown=_strangers(report, trial, means),
        answered_by=means.provider.answers.by if lane.url else "live",
        listing_bytes=_by_route(report),
        began=began,
    )


def _name_server(problem: str, mcp: McpSettings) -> str:
    """With the trouble of a server that is not ours, what the configuration says of it."""
    if mcp.is_ours or not problem.startswith("MCP server"):
        return problem
    return f"{problem}; it is `{hide_text(mcp.url or shlex.join(mcp.command))}`"


def _open_lane(trial: Trial, folder: Path, ready: Ready, means: Means) -> Lane:
    if not ready.agent.wire or means.provider.answers.by == "live":
        return Lane("", trial.case.id, None, None, lambda: None)
    return means.provider.open(trial, folder / "requests.jsonl")


def _catalogue(report: LaneReport, trial: Trial, means: Means) -> tuple[Offer, ...]:
    """What the model was shown of each skill; nothing where no request passed by us."""
    if not report.requests or trial.delivery == "none":
        return ()
    return compare_listing(report.listed, (means.skills[key] for key in trial.skills))


def _strangers(report: LaneReport, trial: Trial, means: Means) -> tuple[str, ...]:
    """Skills of the agent's own, or of the user's, that the model was shown too."""
    names = names_of(means.skills[key] for key in trial.skills)
    return tuple(sorted({each.name for each in report.listed if not match_name(each.name, names)}))


def _by_route(report: LaneReport) -> dict[str, int]:
    """What the listings cost: by the agent's own way, and by tools of a server."""
    costs: dict[str, int] = {}
    for tool, size in report.listing_bytes.items():
        route = "mcp" if tool.startswith("mcp_") else "native"
        costs[route] = costs.get(route, 0) + size
    return costs


def make_words(trial: Trial, stage: Stage, ready: Ready, means: Means, endpoint: str) -> Ask:
    """What the agent is asked, with every path that it may need."""
    case = trial.case
    if ready.settings.settings:
        merged = {**ready.settings.settings, **case.settings}
        case = msgspec.structs.replace(case, settings=merged)
    schema = str(case.settings.get("output_schema") or "")
    return Ask(
        case=case,
        model=trial.model or ready.agent.model,
        delivery=trial.delivery,
        workspace=stage.place.workspace,
        home=stage.place.home,
        skills=tuple(means.skills[key] for key in trial.skills),
        program=ready.program,
        endpoint=endpoint,
        server=make_server(means.mcp, stage.served) if stage.served else None,
        plugin=stage.plugin,
        schema=schema,
        schema_text=_read_schema(schema) if schema else "",
    )


def make_server(mcp: McpSettings, served: str) -> Server:
    """The MCP server that serves a folder of skills: the configured one, else ours."""
    command = tuple(word.replace("{skills}", served) for word in mcp.command)
    if mcp.is_ours:
        wording = ("--wording", mcp.wording) if mcp.wording else ()
        command = (sys.executable, "-I", "-m", "audition.mcp_server", served, *wording)
    url = mcp.url.replace("{skills}", served)
    return Server(name=mcp.name, command=command, url=url, deferred=mcp.deferred)


def _read_schema(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise AuditionError(f"the schema {path} is not UTF-8") from error


def _box(command: Command, stage: Stage, ready: Ready, means: Means, endpoint: str) -> Boxed:
    """The command as it is started. Our own provider is shown no key of the user's."""
    passed = ready.wished if endpoint else ready.lets_through
    if not endpoint and not means.bare:
        found = find_sign_in(ready.agent, means.env, Path.home())
        if found.problem:
            raise AuditionError(f"not signed in: {found.problem}")
        command = msgspec.structs.replace(command, env={**found.env, **command.env})
        for name, own in found.links.items():
            link = Path(stage.place.home, name)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(own)
    for path, text in command.files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")
    env = {**with_node(ready.program, means.env), **ready.given}
    boxed = means.sandbox(command, stage.place, passed, _past_proxies(env) if endpoint else env)
    # What the user sets on purpose wins, but not over the address of our own provider.
    ours = {name for name, value in command.env.items() if endpoint and _is_ours(value, endpoint)}
    given = {name: value for name, value in ready.given.items() if name not in ours}
    return msgspec.structs.replace(boxed, env={**boxed.env, **given})


def _is_ours(value: str, endpoint: str) -> bool:
    return endpoint in value or value in NO_SECRET


def _past_proxies(env: Mapping[str, str]) -> dict[str, str]:
    """The environment in which our own provider is asked directly, whatever proxy is set."""
    told = [env[name] for name in ("NO_PROXY", "no_proxy") if env.get(name)]
    apart = ",".join([*dict.fromkeys(told), "127.0.0.1", "localhost"])
    return {**env, "NO_PROXY": apart, "no_proxy": apart}


def _start(
    trial: Trial, boxed: Boxed, command: Command, stage: Stage, kept: tuple[Path, str]
) -> Start:
    folder, stood = kept
    env = {**boxed.env, **_case_env(trial, stage, stood), "AUDITION_TRIAL_ID": trial.id}
    return Start(
        argv=boxed.argv,
        cwd=stage.place.workspace,
        env=env,
        stdin=command.stdin,
        stdout=f"{folder}/trace.jsonl",
        stderr=f"{folder}/stderr.txt",
        seconds=trial.timeout_s,
    )


def _repository(folder: str) -> str:
    """The nearest folder with `.git` at or above a folder; the folder itself where none has."""
    found = folder
    while not os.path.exists(f"{found}/.git"):
        if found == os.path.dirname(found):
            return folder
        found = os.path.dirname(found)
    return found


def _case_env(trial: Trial, stage: Stage, stood: str) -> dict[str, str]:
    if not trial.case.env:
        return {}
    repo = _repository(str(case_folder(trial.case.file, stood)))
    return {
        name: value.replace("{workspace}", stage.place.workspace).replace("{repo}", repo)
        for name, value in trial.case.env.items()
    }
