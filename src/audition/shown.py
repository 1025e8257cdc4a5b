"""What an agent really shows its model of the skills: one turn, answered by ourselves.

In: an agent that is ready, skills kept in a folder, a delivery, a model. Out: a Sight.
Must not know: cases, grading. No model is asked, so it costs nothing but a second.
"""

import hashlib
import tempfile
import threading
from pathlib import Path

import msgspec

from audition.attempt import Means, attempt
from audition.installed import Ready
from audition.model import Case, Offer, Sealed, Trial, Value
from audition.patience import Account, Listener
from audition.provider import serve

PROMPT = "Say hello."
SECONDS = 60.0
SCRIPT = '{"turns": ["Hello."], "then": "last"}'


class Sight(Value, frozen=True, kw_only=True):
    """The skills as a model is shown them."""

    catalogue: tuple[Offer, ...] = ()
    also_shown: tuple[str, ...] = ()
    """Skills that nobody asked for: the agent's own."""
    listing_bytes: dict[str, int] = {}
    budget_chars: int | None = None
    problem: str = ""
    """Why nothing could be seen."""
    seconds: float = 0.0


class Look(Value, frozen=True, kw_only=True):
    """What to look at: which skills, by key, on which way to which model."""

    skills: tuple[str, ...]
    delivery: str
    model: str | None = None


def see(look: Look, ready: Ready, means: Means) -> Sight:
    """Ask the agent one turn and look at its request."""
    with tempfile.TemporaryDirectory(prefix="audition-look-") as name:
        folder = Path(name)
        script = folder / "script.json"
        script.write_text(SCRIPT)
        with serve(f"script:{script}") as provider:
            means = msgspec.structs.replace(means, provider=provider)
            # A server that does not come up would make every skill look as if it were missing.
            listener = Listener(Account(ready.agent))
            sealed = attempt(_trial(look, ready), folder, ready, means, listener)
        raw = folder / "trace.jsonl"
        output = raw.read_bytes() if raw.exists() else b""
        return _sight(sealed, ready, output, folder / "stderr.txt")


def _trial(look: Look, ready: Ready) -> Trial:
    return Trial(
        id="look",
        place="look",
        index=0,
        case=Case(id="look", prompt=PROMPT),
        agent=ready.agent.name,
        delivery=look.delivery,
        model=look.model,
        number=1,
        skills=look.skills,
        timeout_s=SECONDS,
    )


def _sight(sealed: Sealed, ready: Ready, output: bytes, errors: Path) -> Sight:
    problem = sealed.problem
    if not problem and not sealed.catalogue and sealed.trial.delivery != "none":
        said = errors.read_text("utf-8", "replace") if errors.exists() else ""
        last = " ".join((said or output.decode("utf-8", "replace")[-300:]).split())[:300]
        problem = f"no request came from {ready.agent.name}: {last or sealed.stopped or 'silence'}"
    return Sight(
        catalogue=() if problem else sealed.catalogue,
        also_shown=sealed.also_shown,
        listing_bytes=sealed.listing_bytes,
        budget_chars=ready.agent.budget(sealed.trial.delivery, output),
        problem=problem,
        seconds=sealed.seconds,
    )


class Sights:
    """What was seen in a run, once for each agent, version, model, delivery and catalogue."""

    def __init__(self, folder: Path, means: Means) -> None:
        self._folder, self._means = folder, means
        self._seen: dict[tuple[str, Look], Sight] = {}
        self._lock = threading.Lock()

    def complete(self, sealed: Sealed, ready: Ready) -> Sealed:
        """The seal with what the model was shown, seen apart where its request passed elsewhere."""
        trial = sealed.trial
        asked = ready.agent.wire and sealed.argv and not sealed.problem and not sealed.stopped
        if sealed.answered_by != "live" or not asked or trial.delivery == "none":
            return sealed
        sight = self._once(
            Look(skills=trial.skills, delivery=trial.delivery, model=trial.model), ready
        )
        return msgspec.structs.replace(
            sealed,
            catalogue=sight.catalogue,
            also_shown=sight.also_shown,
            listing_bytes=sight.listing_bytes,
        )

    def _once(self, look: Look, ready: Ready) -> Sight:
        asked = (ready.agent.name, look)
        if asked not in self._seen:
            self._seen[asked] = self._look(self._in_words(look, ready), look, ready)
        return self._seen[asked]

    def _in_words(self, look: Look, ready: Ready) -> bytes:
        skills = [(key, self._means.skills[key].digest) for key in look.skills]
        agent = (ready.agent.name, ready.version, look.model or ready.agent.model, look.delivery)
        return msgspec.json.encode((*agent, skills, self._means.mcp))

    def _look(self, words: bytes, look: Look, ready: Ready) -> Sight:
        file = self._folder / f"{hashlib.sha256(words).hexdigest()[:16]}.json"
        with self._lock:
            if not file.exists():
                self._folder.mkdir(exist_ok=True)
                file.write_bytes(msgspec.json.encode(see(look, ready, self._means)))
            return msgspec.json.decode(file.read_bytes(), type=Sight)
