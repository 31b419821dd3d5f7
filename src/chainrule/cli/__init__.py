"""The door: a thin typed command line. It parses, calls one function, prints."""

from chainrule.cli.main import main, run_process

__all__ = ["main", "run_process"]
