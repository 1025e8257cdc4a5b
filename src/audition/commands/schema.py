"""`audition schema`: the JSON Schema of case files.

In: nothing. Out: JSON on stdout. Must not know: files.
"""

import json

import click

from audition.cases.schema import case_schema


@click.command()
def schema() -> None:
    """Print the JSON Schema of case files, with every installed check.

    \b
    Example:
      audition schema > .audition/cases.schema.json
    """
    click.echo(json.dumps(case_schema(), indent=2))
