"""Zachary's karate club: who met whom outside the club, and which side each member took when it split."""

import torch

from chainrule.data.batch import IGNORED, Graph
from chainrule.data.batches import Same, Splits

# Member by member: those with a higher number whom he met.
_MET: dict[int, tuple[int, ...]] = {
    0: (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31),
    1: (2, 3, 7, 13, 17, 19, 21, 30),
    2: (3, 7, 8, 9, 13, 27, 28, 32),
    3: (7, 12, 13),
    4: (6, 10),
    5: (6, 10, 16),
    6: (16,),
    8: (30, 32, 33),
    9: (33,),
    13: (33,),
    14: (32, 33),
    15: (32, 33),
    18: (32, 33),
    19: (33,),
    20: (32, 33),
    22: (32, 33),
    23: (25, 27, 29, 32, 33),
    24: (25, 27, 31),
    25: (31,),
    26: (29, 33),
    27: (33,),
    28: (31, 33),
    29: (32, 33),
    30: (32, 33),
    31: (32, 33),
    32: (33,),
}
# The 17 others went with the officer.
_WITH_MR_HI = frozenset({0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 16, 17, 19, 21})
_LEADERS = [0, 33]  # the instructor (Mr. Hi) and the club's officer


def karate() -> Splits[Graph]:
    """34 members and 78 friendships; from one label on each side, tell which side every other member took.

    Three views of one graph that differ in the labels they show: `train` (and `validation`, for there are no
    more) those of the two leaders, members 0 and 33; `test` those of the other 32 members.

    Args:
        (none).

    Shape:
        features: (34, 34), a one at each member's own place; edge_index: (2, 156), both directions; labels: (34).

    Example:
        >>> club = karate()
        >>> [int((part[0].labels != IGNORED).sum()) for part in (club.train, club.test)]
        [2, 32]

    Reference:
        Zachary, An Information Flow Model for Conflict and Fission in Small Groups, 1977.

    Differs:
        Friendships count alike: their strengths are left out. The friendship of members 23 and 34 (counted from 1),
        on which the paper is not of one mind, is in, which makes 78.
    """
    pairs = torch.tensor([(one, other) for one, others in _MET.items() for other in others]).T
    edges = torch.cat([pairs, pairs.flip(0)], dim=1)
    sides = torch.tensor([0 if member in _WITH_MR_HI else 1 for member in range(34)])
    shown = torch.full_like(sides, IGNORED)
    shown[_LEADERS] = sides[_LEADERS]
    hidden = sides.clone()
    hidden[_LEADERS] = IGNORED
    train, test = (Same(Graph(torch.eye(34), edges, labels)) for labels in (shown, hidden))
    return Splits(train, train, test, classes=("Mr. Hi", "Officer"))
