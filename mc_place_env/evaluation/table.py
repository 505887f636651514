"""Results as one text table."""

from collections.abc import Sequence

from mc_place_env.evaluation.runner import Evaluation

HEADER = ("policy", "backend", "episodes", "success [95 %]", "accepted but failed", "ticks to verdict")
LEFT = 2  # columns of text


def format_table(evaluations: Sequence[Evaluation]) -> str:
    """One line a result; `-` stands where nothing was measured."""
    lines = [HEADER, *(table_line(evaluation) for evaluation in evaluations)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEADER))]
    rule = "  ".join("-" * width for width in widths)
    text = [aligned(line, widths) for line in lines]
    return "\n".join([text[0], rule, *text[1:]])


def table_line(evaluation: Evaluation) -> tuple[str, ...]:
    """The cells of one result."""
    summary = evaluation.summary
    interval = summary["success_interval"]
    success = percent(summary["success"]) + (f" [{interval[0]:.1%}, {interval[1]:.1%}]" if interval else "")
    ticks = summary["ticks_to_verdict"]
    return (
        evaluation.policy,
        evaluation.backend,
        str(summary["episodes"]),
        success,
        percent(summary["accepted_but_failed"]),
        "-" if ticks is None else f"{ticks:.1f}",
    )


def percent(rate: float | None) -> str:
    """A rate with one decimal, or `-`."""
    return "-" if rate is None else f"{rate:.1%}"


def aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Text to the left, figures to the right."""
    padded = [c.ljust(w) if k < LEFT else c.rjust(w) for k, (c, w) in enumerate(zip(cells, widths, strict=True))]
    return "  ".join(padded).rstrip()
