"""What a conformance run found, as a table for the terminal, as JSON, and as a page without anything around it."""

import html
from collections import Counter
from dataclasses import asdict, dataclass, field
from importlib import resources
from typing import Any

import yaml

from mc_place_env.conformance.pair import Comparison, Told
from mc_place_env.conformance.trials import family
from mc_place_env.rules.blocks import BlockTable
from mc_place_env.rules.support import NOT_MODELLED

SHOWN_BY_NO_REQUEST = ("gravity",)  # gaps that do not touch the families' own requests
COLUMNS = ("family", "compared", "agreed", "placed", "refused", "note")


def not_modelled() -> dict[str, str]:
    """Everything the rules knowingly leave out, with what is simpler or why."""
    rules = yaml.safe_load((resources.files("mc_place_env.data") / "rules.yaml").read_text())
    clicks = {f"click on {name}": reason for name, reason in rules["intercepts_not_modelled"].items()}
    return NOT_MODELLED | clicks


@dataclass
class Row:
    """One family's figures."""

    compared: int = 0
    agreed: int = 0
    placed: int = 0


@dataclass
class Report:
    """Counts by family, and every disagreement. Requests that were never sent are no comparison."""

    table: BlockTable
    server: str
    seed: int = 0
    rows: dict[str, Row] = field(default_factory=dict)
    reasons: Counter = field(default_factory=Counter)
    not_sent: int = 0
    disagreements: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, comparison: Comparison) -> None:
        """Counts one request."""
        self.reasons[comparison.simulator.reason or comparison.simulator.outcome] += 1
        if not comparison.judged and comparison.agrees:
            self.not_sent += 1
            return
        row = self.rows.setdefault(family(self.table, comparison.request.item), Row())
        row.compared += 1
        row.agreed += comparison.agrees
        row.placed += comparison.simulator.outcome == "placed"

    def add_disagreement(self, smallest: Comparison) -> None:
        """Notes one, shrunk."""
        request = smallest.request
        self.disagreements.append(
            {
                "family": family(self.table, request.item),
                "kind": smallest.trial.kind,
                "request": asdict(request),
                "sneaking": smallest.trial.sneaking,
                "scenario": smallest.trial.scenario(),
                "simulator": asdict(smallest.simulator),
                "server": asdict(smallest.server),
                "explanation": self.note(family(self.table, request.item)),
            }
        )

    def note(self, name: str) -> str:
        """What of a family is knowingly not modelled; the embedded server has the same gaps, so it cannot tell."""
        key = name.partition(": ")[2] or name
        gap = "" if key in SHOWN_BY_NO_REQUEST else NOT_MODELLED.get(key, "")
        return f"not enforced by this server: {gap}" if gap and self.server == "embedded" else gap

    @property
    def unexplained(self) -> int:
        """Disagreements outside what is knowingly not modelled."""
        return sum(not each["explanation"] for each in self.disagreements)

    @property
    def counted(self) -> Row:
        """The sum over the families without gaps: on the embedded server a family with one proves nothing."""
        rows = [row for name, row in self.rows.items() if not (self.server == "embedded" and self.note(name))]
        return Row(sum(r.compared for r in rows), sum(r.agreed for r in rows), sum(r.placed for r in rows))

    def lines(self) -> list[dict[str, Any]]:
        """The table by column name, the sum last."""
        found = [self._line(name, self.rows[name], self.note(name)) for name in sorted(self.rows)]
        return [*found, self._line("total (families without a note)", self.counted, "")]

    @staticmethod
    def _line(name: str, row: Row, note: str) -> dict[str, Any]:
        values = (name, row.compared, row.agreed, row.placed, row.compared - row.placed, note)
        return dict(zip(COLUMNS, values, strict=True))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "version": self.table.version,
            "server": self.server,
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
            "families": self.lines(),
            "answers": dict(self.reasons.most_common()),
            "not_sent": self.not_sent,
            "unexplained": self.unexplained,
            "disagreements": self.disagreements,
            "not_modelled": not_modelled(),
        }

    def text(self) -> str:
        """For the terminal."""
        answers = ", ".join(f"{reason} {count}" for reason, count in self.reasons.most_common())
        parts = [
            f"Minecraft {self.table.version}, server {self.server}, seed {self.seed}, {self.seconds:.0f} s",
            text_table(self.lines()),
            f"Answers of the simulator: {answers}.",
            f"{self.not_sent} requests were refused before anything was sent: no comparison.",
            f"{len(self.disagreements)} disagreements, {self.unexplained} of them unexplained.",
            *map(disagreement_text, self.disagreements),
            "Knowingly not modelled:",
            *(f"  {name}: {reason}" for name, reason in not_modelled().items()),
        ]
        return "\n".join(parts)


def text_table(lines: list[dict[str, Any]]) -> str:
    """Columns padded with blanks."""
    cells = [list(COLUMNS), *([str(value) for value in line.values()] for line in lines)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def disagreement_text(found: dict[str, Any]) -> str:
    """One disagreement in four lines."""
    request = found["request"]
    head = f"- {found['family']}: {request['item']} on {request['face']} of {tuple(request['anchor'])}"
    told = [f"  {side}: {told_text(found[side])}" for side in ("simulator", "server")]
    return "\n".join([head, *told, f"  {'sneaking, ' if found['sneaking'] else ''}scenario: {found['scenario']}"])


def told_text(told: dict[str, Any] | Told) -> str:
    """What one side did, in words."""
    values = told if isinstance(told, dict) else asdict(told)
    changed = ", ".join(f"{tuple(cell)} {name}" for cell, name in values["changed"])
    falls = f"; falls {values['falls']}" if values["falls"] else ""
    return f"{values['outcome']} {values['reason']} [{changed}] {values['held']} left{falls}"


def html_page(report: Report) -> str:
    """The whole report as one page."""
    told = report.as_dict()
    head = "".join(f"<th>{column}</th>" for column in COLUMNS)
    body = "".join(
        f'<tr class="{"bad" if line["agreed"] < line["compared"] else "good"}">'
        + "".join(f"<td>{html.escape(str(value))}</td>" for value in line.values())
        + "</tr>"
        for line in told["families"]
    )
    found = "".join(f"<pre>{html.escape(disagreement_text(each))}</pre>" for each in told["disagreements"])
    gaps = "".join(f"<li><b>{html.escape(k)}</b>: {html.escape(v)}</li>" for k, v in told["not_modelled"].items())
    return PAGE.format(
        title=f"Conformance, Minecraft {told['version']}, server {html.escape(told['server'])}",
        head=head,
        body=body,
        answers=html.escape(", ".join(f"{reason} {count}" for reason, count in told["answers"].items())),
        not_sent=told["not_sent"],
        count=f"{len(told['disagreements'])}, unexplained {told['unexplained']}",
        found=found or "<p>none</p>",
        gaps=gaps,
    )


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 15px/1.5 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222; }}
table {{ border-collapse: collapse; }} td, th {{ padding: 2px 10px; text-align: left; border-bottom: 1px solid #ddd; }}
tr.bad td {{ background: #fde2e0; }} pre {{ background: #f5f5f5; padding: 8px; white-space: pre-wrap; }}
</style></head><body><h1>{title}</h1>
<table><tr>{head}</tr>{body}</table>
<p>Answers of the simulator: {answers}. {not_sent} requests were refused before anything was sent: no comparison.</p>
<h2>Disagreements: {count}</h2>{found}
<h2>Knowingly not modelled</h2><ul>{gaps}</ul></body></html>
"""
