"""Runs as files, what they came to, and two of them compared; the figures against some reckoned by hand."""

import json
import resource
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from tripletick.bench import compare, page, run_file, stats, suites, summary_table
from tripletick.bench.attempt import Attempt
from tripletick.bench.run_file import RunHeader
from tripletick.bench.task import SHIPPED, load_tasks
from tripletick.errors import TripletickError, UsageError

HEADER = RunHeader(
    "0.1", "scripted:a", "scripted", "", "core", "", None, 1, {"agent.dialect": "xml"}, 2, "now"
)
ONE = Attempt(
    task="chores/a",
    wording="1",
    repeat=1,
    solved=True,
    why="",
    status="done",
    exit=0,
    answer="Done.",
    agent="file",
    steps=2,
    attempts=1,
    fresh=0,
    blocks=1,
    seconds=2.0,
    waited=0.5,
    wrote=1.0,
    read=100,
    cached=None,
    written=10,
    refused=("unclosed", "invented-result"),
)


def tried(count, solved, **more):
    """Give attempts of as many tasks, of which the first are solved."""
    return [replace(ONE, task=f"chores/{number}", solved=number < solved, **more) for number in range(count)]


def test_a_run_is_read_as_it_was_written(tmp_path):
    with run_file.begin_run(tmp_path / "runs", HEADER) as run:
        run.add_attempt(ONE)
        run.add_attempt(replace(ONE, wording="2", cached=7))
    assert run_file.read_run(run.path) == (HEADER, [ONE, replace(ONE, wording="2", cached=7)])
    assert run.path.name.endswith("-scripted-a-core.jsonl")


def test_a_run_is_gone_on_with_behind_its_last_whole_line(tmp_path):
    with run_file.begin_run(tmp_path, HEADER) as run:
        run.add_attempt(ONE)
    with run.path.open("ab") as file:
        file.write(b'{"task": "chores/b", "wor')
    with run_file.resume_run(tmp_path, replace(HEADER, started="later", cores=9)) as again:
        assert list(again.done) == [("chores/a", "1", 1)]
        again.add_attempt(replace(ONE, repeat=2))
    assert [one.repeat for one in run_file.read_run(run.path)[1]] == [1, 2]


@pytest.mark.parametrize("change", [{"model": "b"}, {"suite": "quick"}, {"seconds": 9.0}, {"settings": {}}])
def test_another_run_is_not_gone_on_with(tmp_path, change):
    with run_file.begin_run(tmp_path, HEADER) as run:
        run.add_attempt(ONE)
    (tmp_path / "other.jsonl").write_text("no run\n")
    with (
        pytest.raises(UsageError, match="no run to resume"),
        run_file.resume_run(tmp_path, replace(HEADER, **change)),
    ):
        pass


def test_a_run_that_is_being_written_is_left_alone(tmp_path):
    with run_file.begin_run(tmp_path, HEADER), pytest.raises(UsageError, match="another tripletick"):
        run_file.resume_run(tmp_path, HEADER).__enter__()


def test_a_full_disk_ends_a_run_that_can_be_gone_on_with(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with run_file.begin_run(tmp_path, HEADER) as run:
        run.add_attempt(ONE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (run.path.stat().st_size + 10, limits[1]))
        try:
            with pytest.raises(TripletickError, match=r"cannot be saved[\s\S]*--resume"):
                run.add_attempt(replace(ONE, repeat=2))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    with run_file.resume_run(tmp_path, HEADER) as again:
        again.add_attempt(replace(ONE, repeat=3))
    assert [one.repeat for one in run_file.read_run(run.path)[1]] == [1, 3]


def test_a_model_with_a_long_path_has_runs(tmp_path):
    with run_file.begin_run(tmp_path, replace(HEADER, model=f"embedded:{'/folder' * 60}/ä.gguf")) as run:
        run.add_attempt(ONE)
    assert run_file.read_run(run.path)[1] == [ONE]


def test_a_run_whose_values_are_others_is_none(tmp_path):
    with run_file.begin_run(tmp_path, HEADER) as run:
        run.add_attempt(ONE)
    run.path.write_text(run.path.read_text().replace('"seconds":2.0', '"seconds":"two"'))
    with pytest.raises(UsageError, match="is not a tripletick bench run"):
        run_file.read_run(run.path)


@pytest.mark.parametrize("text", ["", "{}\n", "[1]\n", '{"version": 1}\n{"task": 2}\n', "[" * 9000 + "\n"])
def test_what_is_no_run_is_told(tmp_path, text):
    (tmp_path / "a.jsonl").write_text(text)
    with pytest.raises(UsageError, match=r"a\.jsonl is not a tripletick bench run"):
        run_file.read_run(tmp_path / "a.jsonl")
    with pytest.raises(UsageError, match="No such file"):
        run_file.read_run(tmp_path / "b.jsonl")


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(UsageError, match="cannot be written"), run_file.begin_run(tmp_path / "runs", HEADER):
        pass


@pytest.mark.parametrize(
    ("few", "many", "p"),
    [(0, 0, 1.0), (1, 1, 1.0), (0, 5, 2 / 32), (1, 8, 20 / 512), (3, 9, 2 * (1 + 12 + 66 + 220) / 4096)],
)
def test_the_exact_test_gives_what_is_reckoned_by_hand(few, many, p):
    assert stats.binomial_test(few, many) == stats.binomial_test(many, few) == pytest.approx(p)


def test_the_interval_is_wilsons():
    assert stats.wilson_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert stats.wilson_interval(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert stats.wilson_interval(0, 0) == (0.0, 1.0)


def test_two_runs_are_compared_pair_by_pair():
    told = compare.compare_runs(tried(12, 9), tried(10, 3, seconds=4.0, read=50))
    assert [(one.both, one.only_a, one.only_b, one.none) for one in told.splits] == [(3, 6, 0, 1)] * 2
    assert (told.missing, told.splits[-1].p) == (2, 2 / 64)
    assert [(cost.ratio, cost.p) for cost in told.costs] == [(2.0, 2 / 1024), (0.5, 2 / 1024), (1.0, 1.0)]
    assert compare.format_comparison(told)[1][0] == "A solves more (statistically significant)."


def test_runs_without_a_pair_are_compared_all_the_same():
    told = compare.compare_runs(tried(2, 1), [])
    assert (told.missing, told.splits[-1].p, told.costs[0].ratio) == (2, 1.0, None)
    assert compare.format_comparison(told)[1] == [
        "The difference may be due to chance.",
        "2 trials are in only one of the runs and were skipped",
    ]


def test_the_table_has_a_row_a_family_and_one_for_all():
    rows = summary_table.make_rows([*tried(3, 1), replace(ONE, task="talk/a", cached=40, seconds=8.0)])
    assert [(row.name, row.solved, row.of, row.cached) for row in rows] == [
        ("chores", 1, 3, None),
        ("talk", 1, 1, 40),
        ("all", 2, 4, 40),
    ]
    assert (rows[-1].seconds, rows[-1].refused, rows[-1].invented) == (3.5, 2, 1)


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))


def test_the_page_shows_all_fetches_nothing_and_runs_nothing():
    hostile = '"><script>alert(1)</script>\x1b]0;x\x07'
    text = page.render_page(
        HEADER, [*tried(5, 2), replace(ONE, task=f"chores/{hostile}", why=hostile, solved=False)]
    )
    tags = Tags(text).seen
    assert {"svg", "circle", "rect"} <= {tag for tag, _ in tags} and "\x1b" not in text
    assert not {"script", "img", "link", "a", "iframe", "object"} & {tag for tag, _ in tags}
    assert not [
        name for _, given in tags for name in given if name.startswith("on") or name in ("src", "href")
    ]
    assert "prefers-color-scheme" in text and "scripted:a: 2 of 6 solved" in text


def test_a_run_without_an_attempt_has_a_page():
    assert "0 of 0 solved" in page.render_page(HEADER, [])


def test_a_suite_that_does_not_exist_is_told_with_the_nearest():
    with pytest.raises(UsageError, match="Did you mean: --suite quick"):
        suites.make_trials("quik")
    with pytest.raises(UsageError, match="contains no tasks"):
        suites.make_trials("./nowhere")
    with pytest.raises(UsageError, match="No task of core matches"):
        suites.make_trials("core", only="nothing/*")


def test_suites_hold_what_their_names_say():
    shipped = {task.id: task for task in load_tasks(SHIPPED)}
    assert {trial.task.id for trial in suites.make_trials("core")} == shipped.keys()
    assert [trial.task.id for trial in suites.make_trials("quick")] == sorted(suites.QUICK)
    assert all(trial.task.repair for trial in suites.make_trials("repair"))
    assert {trial.task.family for trial in suites.make_trials("chores")} == {"chores"}


def test_wordings_and_repeats_are_trials_of_their_own():
    trials = suites.make_trials("core", "all", 2, only=suites.QUICK[0])
    assert [trial.key[1:] for trial in trials] == [(w, r) for r in (1, 2) for w in ("1", "2", "3")]
    assert len({trial.request for trial in trials}) == 3


def test_the_free_requests_are_frozen():
    frozen = "44f9bfc8266e4b7fac9d0bd8d31bf6449099d9bf3b0b197b9647447fa56c4f56"
    why = "figures on other requests cannot be compared, and one that is mended to fit a model tells nothing"
    assert sha256(suites.FREE.read_bytes()).hexdigest() == frozen, why


def test_every_task_is_asked_for_freely():
    asked = Counter(trial.task.id for trial in suites.make_trials("free"))
    assert asked.keys() == {task.id for task in load_tasks(SHIPPED)} and asked.total() >= 150


def test_no_free_request_stands_twice_or_among_the_wordings():
    texts = [trial.request for suite in ("free", "core") for trial in suites.make_trials(suite, "all")]
    plain = Counter("".join(filter(str.isalnum, text.casefold())) for text in texts)
    assert plain.most_common(1)[0][1] == 1


def test_free_requests_in_other_languages_stand_last_and_say_so():
    lines = [json.loads(line) for line in suites.FREE.read_text("utf-8").splitlines()]
    assert [number for number, line in enumerate(lines) if "language" in line] == [*range(208, 218)]
    assert {line["language"] for line in lines[208:]} == {"de", "es", "fr", "it"}
    *_, english, foreign = [trial.wording for trial in suites.make_trials("free")][:209]
    assert (english, foreign) == ("free 208", f"free 209 {lines[208]['language']}")


def test_lines_reach_the_disk_one_by_one(tmp_path):
    with run_file.begin_run(tmp_path, HEADER) as run:
        run.add_attempt(ONE)
        assert len(run_file.read_run(run.path)[1]) == 1
