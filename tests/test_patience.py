"""What trials of one agent share: a refused key ends all, a limit makes all wait."""

import threading
import time

import msgspec
import pytest

from audition.agent import Agent, Command, find_agent
from audition.config import AgentSettings
from audition.installed import Ready
from audition.model import Fault
from audition.patience import ATTEMPTS, LONGEST_WAIT, Account, Listener, Patience

decoder = msgspec.json.Decoder(Fault)
AGENT = Agent(
    name="one",
    command=lambda ask: Command(argv=()),
    read=lambda number, raw: [decoder.decode(raw)],
    troubles=(b"what",),
    sign_in="set A_KEY",
)


def line(**fields):
    return msgspec.json.encode(Fault(**fields)) + b"\n"


def never():
    return False


def test_a_refused_key_ends_the_session_and_all_that_wait():
    account = Account(AGENT)
    said = Listener(account)(line(what="auth", text="401", retrying=True))
    assert said == "not signed in: one says `401`; set A_KEY"
    assert account.wait(never) == said


def test_lines_that_come_in_pieces_are_heard_once_whole():
    listener = Listener(Account(AGENT))
    raw = b"nothing of note\n" + line(what="mcp", text="MCP server `s` is failed")
    said = [listener(raw[n : n + 7]) for n in range(0, len(raw), 7)]
    assert [each for each in said if each] == ["MCP server `s` is failed"]
    assert len(listener.faults) == 1


def test_what_cannot_be_read_is_passed_over():
    assert Listener(Account(AGENT))(b'{"what": broken\n') == ""


def test_a_limit_makes_every_trial_of_the_agent_wait_as_long_as_was_said():
    account = Account(AGENT)
    assert account.may_try_again([Fault(what="rate_limit", wait_s=0.4)], 1)
    began = time.monotonic()
    waiting = [threading.Thread(target=account.wait, args=(never,)) for _ in range(3)]
    for each in waiting:
        each.start()
    for each in waiting:
        each.join()
    assert 0.35 < time.monotonic() - began < 3


def test_a_limit_while_it_retries_by_itself_holds_the_others_only():
    account = Account(AGENT)
    retry = Fault(what="rate_limit", wait_s=0.3, retrying=True)
    assert account.hear(retry) == ""
    assert not account.may_try_again([retry], 1), "that session went on and ended well"
    began = time.monotonic()
    account.wait(never)
    assert time.monotonic() - began > 0.2


def test_a_limit_of_hours_ends_the_asking_and_says_until_when():
    account = Account(AGENT)
    fault = Fault(what="rate_limit", until=time.time() + LONGEST_WAIT + 60)
    assert not account.may_try_again([fault], 1)
    assert account.wait(never).startswith("rate limited until 20")


def test_there_is_an_end_to_attempts():
    assert not Account(AGENT).may_try_again([Fault(what="overloaded", wait_s=0)], ATTEMPTS)


@pytest.mark.parametrize("what", ["network", "server", "invalid", "refusal", "model", "unknown"])
def test_other_troubles_are_not_tried_again(what):
    assert not Account(AGENT).may_try_again([Fault(what=what)], 1)


def test_who_is_stopped_waits_no_longer():
    account = Account(AGENT)
    account.may_try_again([Fault(what="rate_limit", wait_s=600)], 1)
    assert account.wait(lambda: True) == ""


def ready(agent=AGENT, **more):
    return Ready(agent=msgspec.structs.replace(agent, **more))


def test_agents_do_not_wait_for_one_another():
    patience = Patience()
    patience.account(ready()).hear(Fault(what="auth", text="no"))
    assert patience.account(ready()).refused
    assert not patience.account(ready(name="other")).refused


def test_who_is_signed_in_alike_shares_an_account():
    patience, claude, sdk = Patience(), find_agent("claude"), find_agent("claude-sdk")
    patience.account(ready(claude)).hear(Fault(what="auth", text="no"))
    assert patience.account(ready(sdk)).refused.startswith("not signed in: claude says")
    apart = Ready(
        agent=sdk, settings=AgentSettings(like="claude-sdk", env=("ANTHROPIC_API_KEY=b",))
    )
    assert not patience.account(apart).refused


def held(account):
    return account.standing.free_at - time.monotonic()


def test_a_session_whose_time_was_over_while_it_waited_for_a_limit_is_tried_again():
    retry = Fault(what="rate_limit", wait_s=40, retrying=True)
    account = Account(AGENT)
    assert account.may_try_again([retry], 1, late=True)
    assert 39 < held(account) < 41
    assert not Account(AGENT).may_try_again([retry, Fault(what="mcp")], 1, late=True)


def test_the_next_attempt_waits_no_less_than_the_program_did():
    account = Account(AGENT)
    faults = [Fault(what="rate_limit", wait_s=5, retrying=True), Fault(what="rate_limit")]
    assert account.may_try_again(faults, 1)
    assert 4 < held(account) < 6


def test_a_program_that_gives_up_at_once_met_a_long_limit():
    claude = find_agent("claude")
    account = Patience(live=True).account(ready(claude))
    assert account.may_try_again([Fault(what="rate_limit")], 1)
    assert 59 < held(account) < 61
    ours = Patience().account(ready(claude))
    assert ours.may_try_again([Fault(what="rate_limit")], 1)
    assert held(ours) < 2, "a limit that a script makes ends where the script says so"
