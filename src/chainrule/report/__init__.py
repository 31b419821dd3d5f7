"""Figures and the self-contained HTML page of a run."""

from chainrule.report.outcome import Figure, Outcome

__all__ = ["Figure", "Outcome"]
