"""How far long work is: on a terminal only, nothing in a log."""

from typing import Any

from mc_place_env.evaluation.statistics import mean
from mc_place_env.evaluation.table import percent


class Progress:
    """Episodes, success so far of what is being played, and time left; `before` episodes were finished earlier."""

    def __init__(self, total: int, before: int):
        self.successes: dict[str, list[bool | None]] = {}
        self.bar: Any = None
        try:
            from tqdm import tqdm
        except ImportError:  # only the extra `train` brings it
            return
        self.bar = tqdm(total=total, initial=before, unit="episode", disable=None, leave=False)

    def add(self, what: str, finished: list[dict[str, Any]]) -> None:
        """Takes in the episodes just finished of `what`."""
        if self.bar is None:
            return
        self.successes.setdefault(what, []).extend(episode["success"] for episode in finished)
        self.bar.set_description(what, refresh=False)
        self.bar.set_postfix_str(f"success {percent(mean(self.successes[what]))}", refresh=False)
        self.bar.update(len(finished))

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: Any) -> None:
        if self.bar is not None:
            self.bar.close()
