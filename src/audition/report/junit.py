"""For continuous integration: JUnit XML, as Jenkins and windyroad's schema want it.

A suite is an arm, a test case is a trial. A failed trial is a <failure>, one that could not be
graded an <error>, one that its arm cannot run is <skipped>.

In: a Summary and Records. Out: XML. Must not know: files.
"""

import re
from collections.abc import Iterable

from audition.counted import numbered
from audition.model import Inputs, Record
from audition.report.arms import say_arm
from audition.report.escape import for_xml, for_xml_attribute
from audition.report.words import look_command, order_of, say_reason
from audition.summary.figures import Summary

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_ELEMENTS = {"fail": "failure", "error": "error"}


def write_junit(summary: Summary, records: Iterable[Record], _inputs: Inputs | None = None) -> str:
    """All trials, one suite an arm, in an order that does not change from run to run."""
    suites: dict[str, list[Record]] = {}
    for record in records:
        suites.setdefault(say_arm(record), []).append(record)
    body = "".join(
        _suite(number, name, suites[name], summary) for number, name in enumerate(sorted(suites))
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{body}</testsuites>\n'


def _attributes(**values: object) -> str:
    return "".join(f' {name}="{for_xml_attribute(str(each))}"' for name, each in values.items())


def _suite(number: int, name: str, records: list[Record], summary: Summary) -> str:
    began = _TIME.match(summary.began)
    head = _attributes(
        name=name,
        id=number,
        package="audition",
        # The schema wants a host and a time; a report says nothing about the machine.
        hostname="localhost",
        timestamp=began.group() if began else "1970-01-01T00:00:00",
        tests=len(records),
        failures=sum(each.status == "fail" for each in records),
        errors=sum(each.status == "error" for each in records),
        skipped=sum(each.status == "ineligible" for each in records),
        time=_seconds(sum(each.seconds or 0 for each in records)),
    )
    properties = f"<property{_attributes(name='run', value=summary.run_id)}/>"
    cases = "".join(_case(each, summary.run_id) for each in sorted(records, key=order_of))
    return (
        f"<testsuite{head}>\n<properties>{properties}</properties>\n{cases}"
        "<system-out></system-out>\n<system-err></system-err>\n</testsuite>\n"
    )


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"


def _case(record: Record, run_id: str) -> str:
    head = _attributes(
        name=f"{record.case} #{record.trial}",
        classname=".".join((*_file(record), record.skill or "no-skill", _arm(record))),
        time=_seconds(record.seconds or 0),
    )
    return f"<testcase{head}>{_result(record, run_id)}</testcase>\n"


def _file(record: Record) -> tuple[str, ...]:
    # Two files may have a case of the same id; who goes by names would take them for one.
    return (record.file,) if record.file else ()


def _arm(record: Record) -> str:
    model = f"+{record.model}" if record.model else ""
    return f"{record.agent}+{record.delivery}{model}"


def _result(record: Record, run_id: str) -> str:
    reason = say_reason(record)
    if record.status == "pass":
        return ""
    if record.status == "ineligible":
        return f"<skipped{_attributes(message=reason)}/>"
    lines = [
        f"{each.status}: {each.by}: {each.reason}"
        + (f" ({numbered('trace line', each.lines)})" if each.lines else "")
        for each in record.grades
    ]
    lines.append(look_command(run_id, record.id))
    element = _ELEMENTS[record.status]
    attributes = _attributes(message=reason, type=record.status)
    return f"<{element}{attributes}>{for_xml(chr(10).join(lines))}</{element}>"
