"""Turns an Ask into the command line of Codex.

In: an Ask. Out: a Command. Must not know: how output is read.
"""

import json
import shlex

from audition.agent import Ask, Command, Server

_SANDBOXES = ("read-only", "workspace-write", "danger-full-access")
_KEY = (
    'if [ ! -e "$CODEX_HOME/auth.json" ] && [ -z "${CODEX_API_KEY-}" ] && '
    '[ -n "${OPENAI_API_KEY-}" ]; then export CODEX_API_KEY="$OPENAI_API_KEY"; fi; '
)
"""`codex exec` reads its key from CODEX_API_KEY alone; a login, where there is one, comes first."""
_RETRIES = "request_max_retries=1,stream_max_retries=1"


def command(ask: Ask) -> Command:
    """The command line that shows the skills under test and nothing of the user's."""
    turns = ask.case.prompts
    first = [*ask.program, "exec", *_place(ask), *_words(ask), "--", turns[0]]
    then = [
        [*ask.program, "exec", *_place(ask), "resume", "--last", *_words(ask), "--", turn]
        for turn in turns[1:]
    ]
    argv = first
    if then or not ask.endpoint:
        # A thread is resumed by another process; the home is private, so `--last` is this one.
        script = " && ".join(shlex.join(each) for each in (first, *then))
        argv = ["/bin/sh", "-c", script if ask.endpoint else f"{_KEY}{script}"]
    files = {f"{ask.home}/.codex/config.toml": ""}
    return Command(argv=tuple(argv), env=_environment(ask), files=files)


def _place(ask: Ask) -> list[str]:
    wished = ask.case.settings.get("sandbox", "workspace-write")
    sandbox = wished if wished in _SANDBOXES else "workspace-write"
    return ["-C", ask.workspace, "--sandbox", str(sandbox)]


def _words(ask: Ask) -> list[str]:
    words = ["--json", "--skip-git-repo-check", *_set("analytics.enabled", "false")]
    # `--disable` of a feature that an older Codex does not know would end it.
    words += _set("features.plugins", "false")
    words += _set("features.unbounded_connection_retries", "false")
    words += _set("skills.bundled.enabled", "false")
    words += _set("shell_environment_policy.exclude", '["*KEY*","*TOKEN*","*SECRET*"]')
    if ask.model:
        words += ["-m", ask.model]
    if effort := ask.case.settings.get("effort"):
        words += _set("model_reasoning_effort", json.dumps(str(effort)))
    if ask.schema:
        words += ["--output-schema", ask.schema]
    if ask.delivery == "none":
        words += _set("skills.include_instructions", "false")
    if ask.server and ask.delivery in ("mcp", "mcp+native"):
        words += _set(f"mcp_servers.{ask.server.name}", _server(ask.server))
    if ask.endpoint:
        words += _set("model_provider", '"loopback"')
        words += _set("model_providers.loopback", _provider(ask.endpoint))
    return words


def _set(key: str, value: str) -> list[str]:
    return ["-c", f"{key}={value}"]


def _provider(endpoint: str) -> str:
    # Of the built-in provider a websocket is tried first, and OPENAI_BASE_URL is not read.
    address = json.dumps(f"{endpoint}/v1")
    return (
        f'{{name="loopback",base_url={address},env_key="CODEX_API_KEY",wire_api="responses",'
        f"{_RETRIES},stream_idle_timeout_ms=60000}}"
    )


def _server(server: Server) -> str:
    # Not approved, a tool fails; not required, a server that is down is ignored in silence.
    how = (
        f"url={json.dumps(server.url)}"
        if server.url
        else f"command={json.dumps(server.command[0])},args={json.dumps([*server.command[1:]])}"
    )
    return f'{{{how},startup_timeout_sec=30,default_tools_approval_mode="approve",required=true}}'


def _environment(ask: Ask) -> dict[str, str]:
    environment = {"CODEX_HOME": f"{ask.home}/.codex"}
    if ask.endpoint:
        environment["CODEX_API_KEY"] = "loopback"
    return environment
