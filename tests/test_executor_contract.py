import threading
import time

import pytest

from audition.executor import executors
from audition.model import Case, Record, Trial

EXECUTORS = ["threads"]
pytestmark = pytest.mark.parametrize("name", EXECUTORS)


def trial(index: int) -> Trial:
    return Trial(
        id=str(index), place=str(index), index=index, case=Case(id="c", prompt="p"), agent="a",
        delivery="none", model=None, number=1, skills=(),
    )  # fmt: skip


def record(one: Trial) -> Record:
    return Record(
        id=one.id, skill=None, case="c", agent="a", delivery="none", model=None, trial=1,
        should_trigger=False, status="pass",
    )  # fmt: skip


def ids(records):
    return sorted(int(each.id) for each in records)


@pytest.mark.parametrize("at_once", [1, 8, 32])
def test_every_trial_gives_its_record_once_however_many_run_at_once(name, at_once):
    found = executors[name](map(trial, range(200)), record, at_once)
    assert ids(found) == list(range(200))


def test_no_more_run_at_once_than_asked_for(name):
    lock, now, most = threading.Lock(), [0], [0]

    def run_one(one):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.01)
        with lock:
            now[0] -= 1
        return record(one)

    assert len(list(executors[name](map(trial, range(40)), run_one, 4))) == 40
    assert most[0] == 4


def test_a_trial_is_pulled_only_when_one_can_start(name):
    pulled, release = [], threading.Event()

    def source():
        for number in range(100):
            pulled.append(number)
            yield trial(number)

    def run_one(one):
        release.wait(10)
        return record(one)

    found = executors[name](source(), run_one, 3)
    reader = threading.Thread(target=lambda: next(found))
    reader.start()
    time.sleep(0.1)
    assert len(pulled) == 3
    release.set()
    reader.join()
    found.close()


def test_a_source_that_ends_early_ends_the_run(name):
    stop = threading.Event()

    def source():
        for number in range(1000):
            if stop.is_set():
                return
            yield trial(number)

    def run_one(one):
        time.sleep(0.002)
        return record(one)

    seen = []
    for each in executors[name](source(), run_one, 2):
        seen.append(each)
        if len(seen) == 10:
            stop.set()
    assert 10 <= len(seen) < 100


def test_an_interrupted_trial_is_handed_on_as_none(name):
    found = list(executors[name](map(trial, range(4)), lambda _: None, 2))
    assert found == [None] * 4


def test_closing_starts_nothing_more_and_waits_for_what_runs(name):
    begun, ended = [], []

    def run_one(one):
        begun.append(one.index)
        time.sleep(0.05)
        ended.append(one.index)
        return record(one)

    found = executors[name](map(trial, range(100)), run_one, 4)
    next(found)
    found.close()
    assert len(begun) == len(ended) < 20
    time.sleep(0.1)
    assert len(begun) == len(ended)


def test_what_a_trial_raises_comes_out_when_the_others_are_done(name):
    ended = []

    def run_one(one):
        if one.index == 1:
            raise ZeroDivisionError("one")
        time.sleep(0.1)
        ended.append(one.index)
        return record(one)

    found = executors[name](map(trial, range(100)), run_one, 4)
    seen = []
    with pytest.raises(ZeroDivisionError):
        seen.extend(found)
    assert 1 not in ended
    assert len(ended) < 20


def test_a_source_that_raises_is_not_swallowed(name):
    def source():
        yield trial(0)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(executors[name](source(), record, 3))


def test_nothing_to_run_gives_nothing(name):
    assert list(executors[name](iter(()), record, 8)) == []


def test_ctrl_c_gets_out_while_trials_still_run(name):
    import signal

    release = threading.Event()

    def run_one(one):
        release.wait(20)
        return record(one)

    # Whoever is started in the background of a script is told to ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main = threading.main_thread().ident
    timer = threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(executors[name](map(trial, range(10)), run_one, 2))
    assert time.monotonic() - began < 2
    release.set()
