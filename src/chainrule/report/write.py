"""Writing a run's report and card."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from chainrule.report.about import About
from chainrule.report.card import card
from chainrule.report.files import place
from chainrule.report.history import Entry, read_history
from chainrule.report.outcome import Outcome
from chainrule.report.page import page
from chainrule.report.resources import read_sessions
from chainrule.report.summary import NAME, Summary, read_settings, read_summary
from chainrule.training import Run


def write_report(folder: Path, run: Run, outcome: Outcome, about: About) -> Path:
    """Writes `report.html`, `card.md` and `summary.json` into the folder of a run.

    The curves come from `metrics.jsonl` where the folder has one, so that a resumed run is shown whole, else from
    the run's history; the settings from `about`, else from `recipe.json`; time and memory from what `Resources` wrote.

    Args:
        folder: of the run; it must exist.
        run: how far it got, and what was recorded.
        outcome: its final numbers and figures.
        about: what it is, in words.

    Example:
        >>> import tempfile, torch, chainrule as cr
        >>> digits = cr.data.digits()
        >>> learner = cr.learners.Gradient(cr.models.lenet5(), cr.objectives.Classify())
        >>> run = cr.fit(learner, digits.train, steps=1)
        >>> about = About("digits-lenet", "LeNet-5 learns digits.", "chainrule run digits-lenet")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_report(Path(folder), run, Outcome({"accuracy": 0.1}, {}, "accuracy of 0.98", False), about).name
        'report.html'
    """
    date = datetime.now(UTC).date().isoformat()
    summary = Summary(about, outcome, run.step, run.steps, run.seed, run.stopped, date)
    place(folder / NAME, summary.written())
    return _write(folder, summary, run.history)


def rebuild_report(folder: Path) -> Path:
    """Writes `report.html` and `card.md` anew from what lies in the folder, without training or loading anything.

    Args:
        folder: of a run whose report was written before.

    Example:
        >>> rebuild_report(Path("nowhere"))
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: this run has no report yet. Got folder='nowhere'; train it to its end.
    """
    return _write(folder, read_summary(folder), ())


def _write(folder: Path, summary: Summary, recorded: Sequence[Entry]) -> Path:
    history, sessions = read_history(folder, recorded), read_sessions(folder)
    settings = read_settings(folder, summary.about.settings)
    place(folder / "card.md", card(summary, sessions, folder))
    return place(folder / "report.html", page(summary, history, settings, sessions, folder))
