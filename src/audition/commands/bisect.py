"""`audition bisect`: the options, as one value; what comes of them is in bisecting.py.

In: the words of the command line and the configuration. Out: an exit code.
Must not know: git, how a trial is run.
"""

from typing import Any

import click
import msgspec

from audition.commands.judge_options import judge_switch, read_wishes
from audition.commands.options import option, out_option, output_format, paths_argument
from audition.commands.run import asking, stopping
from audition.config import Config


@click.command
@click.argument("skill")
@click.argument("commits", metavar="GOOD..BAD")
@paths_argument
@click.option(
    "-k", default="", metavar="EXPR", help="Only cases that match: words, `and`, `or`, `not`."
)
@click.option("--case", multiple=True, help="Only the case of this id; may repeat.")
@option("--format", help="Read the case files as this format instead of detecting it.")
@asking
@stopping
@option(
    "--jobs",
    "-j",
    type=click.IntRange(min=0),
    default=0,
    help="Trials at once.  [default: by the processors]",
)
@option("--executor", default="threads", show_default=True, help="Who runs the trials.")
@option("--fsync/--no-fsync", default=True, help="Force each finished trial to disk.")
@click.option("--dry-run", is_flag=True, help="Say what it will take and stop.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
@judge_switch
@out_option
@output_format("text", "json")
@click.pass_obj
def bisect(config: Config, /, skill: str, commits: str, **words: Any) -> int:
    """Find the commit after which SKILL does not reach its target any more.

    The cases are those of today, below PATHS; the skills on offer are those of each commit,
    and your work tree is not touched. At each commit the cases of SKILL are asked until its
    verdict is known (or `--trials` times each), so a skill that fails now and then is told
    from a broken one. Commits that do not have the skill are passed by.

    \b
    Examples:
      audition bisect greeting v1.2..HEAD
      audition bisect greeting v1.2..HEAD -a claude --budget 5
      audition bisect skills/greeting main~20..main --dry-run
    """
    from audition.commands.bisecting import carry_out_search
    from audition.commands.wishes import Wishes

    words = {name: word for name, word in words.items() if word is not None}
    given = {"trials": "auto", **words, "judged": read_wishes(words)}
    wishes = msgspec.convert(given, Wishes, strict=False)
    return carry_out_search(skill, commits, wishes, config)
