"""The nouns of the sentence, frozen: what every other room passes around.

A Case asked of an agent, with Skills delivered one way or not at all, is a Trial.
Running it yields an Outcome, which holds the agent's Trace. Each check adds a Grade.
Trial, outcome and grades are a Record.

In: nothing. Out: the values. Must not know: files, processes, the screen.
"""

from audition.model.conduct import EventPattern, Rule, RuleForm, Ruling
from audition.model.result import (
    Changes,
    Commands,
    Grade,
    GradeStatus,
    Inputs,
    JudgedBy,
    Latency,
    Record,
    Sealed,
    Spent,
    Status,
)
from audition.model.session import (
    RUNGS,
    AnyEvent,
    Call,
    Denial,
    Does,
    End,
    Event,
    Evidence,
    Fault,
    How,
    Message,
    Offer,
    Result,
    Rung,
    Trace,
    Trouble,
    Usage,
)
from audition.model.tried import (
    Case,
    CheckSpec,
    Criterion,
    Skill,
    Suite,
    Trial,
)
from audition.model.value import (
    Finding,
    Json,
    Value,
)

__all__ = [
    "RUNGS",
    "AnyEvent",
    "Call",
    "Case",
    "Changes",
    "CheckSpec",
    "Commands",
    "Criterion",
    "Denial",
    "Does",
    "End",
    "Event",
    "EventPattern",
    "Evidence",
    "Fault",
    "Finding",
    "Grade",
    "GradeStatus",
    "How",
    "Inputs",
    "Json",
    "JudgedBy",
    "Latency",
    "Message",
    "Offer",
    "Record",
    "Result",
    "Rule",
    "RuleForm",
    "Ruling",
    "Rung",
    "Sealed",
    "Skill",
    "Spent",
    "Status",
    "Suite",
    "Trace",
    "Trial",
    "Trouble",
    "Usage",
    "Value",
]
