"""What lies in somebody's files: reads it, says what it is, and splits it honestly."""

from chainrule.sources.splitting import SHARES, honest_split, split_by_time

__all__ = ["SHARES", "honest_split", "split_by_time"]
