"""Whole networks: one family per file, presets as plain functions."""

from chainrule.models.appnp import AppnpEncoder, appnp
from chainrule.models.conv4 import conv4
from chainrule.models.dcgan import dcgan
from chainrule.models.forecaster import (
    ForecastEncoder,
    MeanOfHeads,
    QuantileHead,
    ResidualLayer,
    SideBySide,
    forecaster,
    roughness,
)
from chainrule.models.gcn import GraphEncoder, gcn
from chainrule.models.gpt import GptEncoder, Rotary, gpt, gpt2, gpt2_small
from chainrule.models.lenet import lenet5
from chainrule.models.mlp import mlp
from chainrule.models.network import Network
from chainrule.models.ngram import NGram
from chainrule.models.phrases import GramScores, PhraseEncoder, PhraseVote, phrase_net
from chainrule.models.players import Players
from chainrule.models.quick import ChannelsLast, quick_net, quick_stem
from chainrule.models.resnet import ResidualBlock, photograph_stem, resnet, resnet18, resnet34, thumbnail_stem
from chainrule.models.tabular import ClassVote, NumberMean, TableEncoder

__all__ = [
    "AppnpEncoder",
    "ChannelsLast",
    "ClassVote",
    "ForecastEncoder",
    "GptEncoder",
    "GramScores",
    "GraphEncoder",
    "MeanOfHeads",
    "NGram",
    "Network",
    "NumberMean",
    "PhraseEncoder",
    "PhraseVote",
    "Players",
    "QuantileHead",
    "ResidualBlock",
    "ResidualLayer",
    "Rotary",
    "SideBySide",
    "TableEncoder",
    "appnp",
    "conv4",
    "dcgan",
    "forecaster",
    "gcn",
    "gpt",
    "gpt2",
    "gpt2_small",
    "lenet5",
    "mlp",
    "photograph_stem",
    "phrase_net",
    "quick_net",
    "quick_stem",
    "resnet",
    "resnet18",
    "resnet34",
    "roughness",
    "thumbnail_stem",
]
