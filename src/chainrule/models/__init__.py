"""Whole networks: one family per file, presets as plain functions."""

from chainrule.models.gcn import GraphEncoder, gcn
from chainrule.models.lenet import lenet5
from chainrule.models.mlp import mlp
from chainrule.models.network import Network

__all__ = ["GraphEncoder", "Network", "gcn", "lenet5", "mlp"]
