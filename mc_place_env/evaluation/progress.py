"""How far long work is: on a terminal only, nothing in a log."""

from typing import Any


class Progress:
    """Episodes, success so far and time left; goes on from `episodes` that were finished before."""

    def __init__(self, total: int, episodes: list[dict[str, Any]]):
        self.bar: Any = None
        self.played, self.solved = len(episodes), sum(episode["success"] for episode in episodes)
        try:
            from tqdm import tqdm
        except ImportError:  # only the extra `train` brings it
            return
        self.bar = tqdm(total=total, initial=self.played, unit="episode", disable=None, leave=False)

    def add(self, what: str, finished: list[dict[str, Any]]) -> None:
        """Takes in the episodes just finished of `what`."""
        if self.bar is None:
            return
        self.played += len(finished)
        self.solved += sum(episode["success"] for episode in finished)
        self.bar.set_description(what, refresh=False)
        self.bar.set_postfix_str(f"success {self.solved / self.played:.1%}", refresh=False)
        self.bar.update(len(finished))

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: Any) -> None:
        if self.bar is not None:
            self.bar.close()
