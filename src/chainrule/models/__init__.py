"""Whole networks: one family per file, presets as plain functions."""

from chainrule.models.conv4 import conv4
from chainrule.models.gcn import GraphEncoder, gcn
from chainrule.models.lenet import lenet5
from chainrule.models.mlp import mlp
from chainrule.models.network import Network

__all__ = ["GraphEncoder", "Network", "conv4", "gcn", "lenet5", "mlp"]
