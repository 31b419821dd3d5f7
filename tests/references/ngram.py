"""Interpolated modified Kneser-Ney as Chen and Goodman (1999) write it: dictionaries and loops, one gram at a time."""

from collections import Counter


class SlowNGram:
    def __init__(self, tokens: list[int], order: int, vocabulary: int) -> None:
        self.order, self.vocabulary = order, vocabulary
        seen = {k: Counter(tuple(tokens[i : i + k]) for i in range(len(tokens) - k + 1)) for k in range(1, order + 1)}
        self.counts = {order: dict(seen[order])}
        grams = set(seen[order])
        for k in range(order - 1, 0, -1):
            before: dict[tuple[int, ...], set[int]] = {}
            for gram in grams:
                before.setdefault(gram[-k:], set()).add(gram[: len(gram) - k])
            self.counts[k] = {gram: len(others) for gram, others in before.items()}
            grams = set(self.counts[k])
        self.discounts = {k: self._discounts(k) for k in self.counts}

    def _discounts(self, k: int) -> list[float]:
        n = [sum(count == r for count in self.counts[k].values()) for r in range(5)]
        if 0 in n[1:4]:
            return [0.0, 0.5, 1.0, 1.5]
        y = n[1] / (n[1] + 2 * n[2])
        raw = [0.0] + [r - (r + 1) * y * n[r + 1] / n[r] for r in (1, 2, 3)]
        return [value if 0 < value < r else r / 2 for r, value in enumerate(raw)]

    def probability(self, context: tuple[int, ...], token: int) -> float:
        """Of `token` after `context`, of which the last order - 1 tokens count."""
        k = min(len(context), self.order - 1) + 1
        return self._probability(k, context[len(context) - k + 1 :], token)

    def _probability(self, k: int, context: tuple[int, ...], token: int) -> float:
        if k == 0:
            return 1 / self.vocabulary
        shorter = self._probability(k - 1, context[1:], token)
        followers = {gram: count for gram, count in self.counts[k].items() if gram[:-1] == context}
        total = sum(followers.values())
        if total == 0:
            return shorter
        discount = {gram: min(self.discounts[k][min(count, 3)], count) for gram, count in followers.items()}
        gram = (*context, token)
        kept = followers[gram] - discount[gram] if gram in followers else 0.0
        return kept / total + sum(discount.values()) / total * shorter
