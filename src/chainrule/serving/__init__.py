"""A trained model behind a door on this machine: JSON for programs, a page for people."""

from chainrule.serving.app import web_app
from chainrule.serving.door import LOOPBACK
from chainrule.serving.limits import Limits, Refused

__all__ = ["LOOPBACK", "Limits", "Refused", "web_app"]
