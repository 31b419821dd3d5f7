"""R8: whatever a file holds, nothing in it runs, little memory is taken, and an error comes at once."""

import json

from training.processes import said

SLACK = 4 << 20  # by how much two processes that do the same may differ
HARMLESS = {"names of other files", "metrics that are no numbers"}  # what nobody asks for, so it loads; lines left out


def test_no_file_does_harm(tmp_path):
    told = [json.loads(line) for line in said("hostile.py", tmp_path).splitlines()]
    good, unpickled, greedy = (case for case in told if case["name"].startswith("control"))
    told = [case for case in told if not case["name"].startswith("control")]
    assert len({case["name"].split(":")[0] for case in told}) >= 40
    for case in told:
        kinds = ("NoneType",) if case["name"] in HARMLESS else ("CheckpointError", "InputError")
        assert case["error"] in kinds, case
        assert case["events"] == [], case
        assert case["mark"] is False, case
        assert case["seconds"] < 1.0, case
        assert case["rss"] <= 2 * case["bytes"] + good["rss"] + SLACK, case
    # The measure itself: a good file passes, and harm and greed are seen.
    assert (good["error"], good["events"], good["mark"]) == ("NoneType", [], False)
    assert unpickled["mark"] is True
    assert {"pickle.find_class", "os.mkdir"} <= set(unpickled["events"])
    assert greedy["rss"] > 2 * greedy["bytes"] + good["rss"] + SLACK
