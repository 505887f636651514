"""How far long work is: on a terminal only, nothing in a log."""

from collections import Counter
from typing import Any

from mc_place_env.evaluation.statistics import ratio
from mc_place_env.evaluation.table import percent


class Progress:
    """Episodes, success so far of what is being played, and time left; `before` episodes were finished earlier."""

    def __init__(self, total: int, before: int):
        self.judged: Counter[str] = Counter()
        self.solved: Counter[str] = Counter()
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
        judged = [episode["success"] for episode in finished if episode["success"] is not None]
        self.judged[what] += len(judged)
        self.solved[what] += sum(judged)
        self.bar.set_description(what, refresh=False)
        self.bar.set_postfix_str(f"success {percent(ratio(self.solved[what], self.judged[what]))}", refresh=False)
        self.bar.update(len(finished))

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: Any) -> None:
        if self.bar is not None:
            self.bar.close()
