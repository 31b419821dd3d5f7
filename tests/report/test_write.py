import json

from chainrule.report import About, Outcome, rebuild_report, write_report
from report.stories import SESSION, STORIES, decay, empty_run

SETTINGS = {"steps": 300, "optimizer": {"lr": 0.001}}
OUTCOME = Outcome({"accuracy": 0.5}, {"chance": {"accuracy": 0.1}}, "0.4", reached=True)


def test_from_the_folder_alone_it_is_the_same_page(tmp_path):
    history = [{"step": step, "loss": value} for step, value in decay(300, 1, 2.0, 0.1, 0.2, 0)]
    run = empty_run(300)
    run.history = list(history)
    (tmp_path / "resources.json").write_text(json.dumps([SESSION]))
    from_memory = write_report(tmp_path, run, OUTCOME, About("a", "b", "c", SETTINGS)).read_bytes()

    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in history))
    (tmp_path / "recipe.json").write_text(json.dumps(SETTINGS))
    resumed = empty_run(300)
    resumed.history = history[200:]
    from_disk = write_report(tmp_path, resumed, OUTCOME, About("a", "b", "c")).read_bytes()
    assert from_disk == from_memory

    card = (tmp_path / "card.md").read_bytes()
    (tmp_path / "report.html").unlink()
    (tmp_path / "card.md").unlink()
    assert rebuild_report(tmp_path).read_bytes() == from_memory
    assert (tmp_path / "card.md").read_bytes() == card


def test_every_story_is_rebuilt_with_its_figures(tmp_path):
    for name, story in STORIES.items():
        path = story(tmp_path / name)
        before = path.read_bytes()
        if not (path.parent / "metrics.jsonl").exists():
            summary = json.loads((path.parent / "summary.json").read_text())
            assert len(summary["outcome"]["figures"]) > 0
        assert before.count(b"<figure") > 0


def test_nothing_is_left_behind(tmp_path):
    write_report(tmp_path, empty_run(1), OUTCOME, About("a", "b", "c"))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["card.md", "report.html", "summary.json"]


def test_a_run_that_measured_nothing_has_a_report(tmp_path):
    page = write_report(tmp_path, empty_run(0), Outcome({}, {}, "", reached=False), About("a", "", "")).read_text()
    assert "Bar not reached" in page
