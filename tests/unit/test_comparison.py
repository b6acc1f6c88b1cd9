import csv
import io
import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest

from fastrag_bench.comparison import Comparison, Failure
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import BenchmarkResult, SampleResult, StatusCounts
from fastrag_bench.types import DistributionSummary


def run(name, scores, *, latency=None, errored=0, higher=True, minute=0, questions="q"):
    """A result of one metric `m` (and `latency_ms`) with these scores; errored questions come last."""
    samples = [
        SampleResult(f"{questions}{i}", "incomplete" if score is None else "successful", {"m": score})
        for i, score in enumerate(scores)
    ]
    samples += [
        SampleResult(f"{questions}{i}", "errored", {"m": None}, error="RuntimeError: down")
        for i in range(len(scores), len(scores) + errored)
    ]
    summary = {"m": DistributionSummary.of([sample.scores["m"] for sample in samples])}
    directions = {"m": higher}
    if latency is not None:
        summary["latency_ms"] = DistributionSummary.of([latency])
        directions["latency_ms"] = False
    when = datetime(2024, 5, 1, 12, minute, tzinfo=UTC)
    return BenchmarkResult(name, when, StatusCounts.of(samples), summary, samples, 1.0, directions)


# Tables


def test_a_partly_failed_run_shows_its_counts_unasked():
    table = Comparison([run("good", [0.5, 0.5]), run("shaky", [1.0], errored=1)]).to_markdown()
    assert table == (
        "| run | m | successful | errored | incomplete |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| good | 0.5000 | 2 | 0 | 0 |\n"
        "| shaky | 1.0000 | 1 | 1 | 0 |\n"
    )


def test_counts_are_shown_when_asked_for():
    assert Comparison([run("a", [0.5])]).to_markdown(counts=True).splitlines()[2] == "| a | 0.5000 | 1 | 0 | 0 |"


def test_failed_combinations_are_rows_with_the_reason_and_notes_follow():
    comparison = Comparison(
        [run("k=5", [0.5]), run("k=10", [0.75])],
        failures=[Failure("k=20", "StageError: no | memory\nleft", "Traceback ...")],
        notes=["P@k is not comparable\nacross chunkers"],
        extra={"k": {"k=5": 5, "k=10": 10, "k=20": 20}, "cold_s": {"k=5": 1.25}},
    )
    assert comparison.to_markdown(mark_best=True) == (
        "| run | m | k | cold_s | failure |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| k=5 | 0.5000 | 5 | 1.2500 | — |\n"
        "| k=10 | **0.7500** | 10 | — | — |\n"
        "| k=20 | — | 20 | — | StageError: no \\| memory left |\n"
        "\n"
        "- P@k is not comparable across chunkers\n"
    )


def test_all_failed_is_a_table_of_reasons():
    table = Comparison([], failures=[Failure("a", "down")]).to_markdown(mark_best=True)
    assert table == "| run | failure |\n| --- | ---: |\n| a | down |\n"


def test_the_best_values_are_marked_by_direction_and_equals_alike():
    comparison = Comparison([run("a", [0.5], latency=9.0), run("b", [0.5], latency=3.0), run("c", [0.2], latency=7.0)])
    rows = comparison.to_markdown(mark_best=True).splitlines()[2:]
    assert rows == ["| a | **0.5000** | 9.0000 |", "| b | **0.5000** | **3.0000** |", "| c | 0.2000 | 7.0000 |"]
    assert "**0.0000**" in comparison.to_markdown("std", mark_best=True)


def test_a_run_with_errors_is_not_marked_as_best():
    rows = Comparison([run("a", [0.5, 0.5]), run("b", [0.4, 0.4]), run("c", [1.0], errored=1)]).to_markdown(
        mark_best=True
    )
    assert "**0.5000**" in rows and "**1.0000**" not in rows


def test_nothing_measured_is_a_dash_and_its_counts_are_numbers():
    comparison = Comparison([run("a", [None, None]), run("b", [0.5, None])])
    assert [line.split(" | ")[1] for line in comparison.to_markdown().splitlines()[2:]] == ["—", "0.5000"]
    assert [line.split(" | ")[1] for line in comparison.to_markdown("count").splitlines()[2:]] == ["0", "1"]
    assert [line.split(" | ")[1] for line in comparison.to_markdown("missing").splitlines()[2:]] == ["2", "1"]


def test_percentiles_of_a_metrics_own_are_a_statistic():
    own = run("a", [0.5])
    own.summary["m"] = DistributionSummary(1, 0, 0.5, 0.5, 0.0, 0.5, 0.5, {"p99.9": 0.75})
    comparison = Comparison([own, run("b", [0.5])])
    assert comparison.to_markdown("p99.9") == ("| run | m p99.9 |\n| --- | ---: |\n| a | 0.7500 |\n| b | — |\n")
    assert comparison.to_markdown("p95").splitlines()[2] == "| a | — |"
    assert comparison.best("m", "p99.9") is own
    with pytest.raises(ConfigurationError, match=r"no statistic 'percentiles'; there is: count, missing, .*p99, p99.9"):
        comparison.to_markdown("percentiles")


def test_an_empty_comparison_is_a_header():
    assert Comparison.of([]).to_markdown() == "| run |\n| --- |\n"
    with pytest.raises(ConfigurationError, match="no statistic"):
        Comparison.of([]).to_markdown("averge")


def test_runs_of_one_name_are_told_apart():
    with pytest.warns(UserWarning, match="several runs are called 'a'"):
        comparison = Comparison([run("a", [0.1]), run("a", [0.2], minute=5), run("b", [0.3]), run("a", [0.4])])
    assert [line.split(" | ")[0] for line in comparison.to_markdown().splitlines()[2:]] == [
        "| a (2024-05-01T12:00:00+00:00) #1",
        "| a (2024-05-01T12:05:00+00:00)",
        "| b",
        "| a (2024-05-01T12:00:00+00:00) #2",
    ]


def test_runs_on_other_questions_are_warned_about():
    with pytest.warns(UserWarning, match="'b': other questions than 'a'"):
        Comparison([run("a", [0.1]), run("b", [0.1], questions="other ")])


def test_a_comparison_is_of_results():
    with pytest.raises(ConfigurationError, match="BenchmarkResult objects, not dict"):
        Comparison([{}])


# CSV, JSON, HTML


def test_csv_has_full_precision_and_disarms_formulas():
    comparison = Comparison(
        [run("=cmd|' /C calc'!A0", [0.1]), run("-0.5", [1 / 3]), run("+1+1", [0.5])],
        failures=[Failure("@x", "-bad")],
        extra={"=col": {"-0.5": -2.5, "+1+1": "\tx"}},
    )
    rows = list(csv.reader(io.StringIO(comparison.to_csv())))
    assert rows == [
        ["run", "m", "'=col", "successful", "errored", "incomplete", "failure"],
        ["'=cmd|' /C calc'!A0", "0.1", "", "1", "0", "0", ""],
        ["-0.5", "0.3333333333333333", "-2.5", "1", "0", "0", ""],
        ["'+1+1", "0.5", "'\tx", "1", "0", "0", ""],
        ["'@x", "", "", "", "", "", "'-bad"],
    ]


def test_json_holds_every_statistic():
    comparison = Comparison([run("a", [0.5, 1.0])], failures=[Failure("b", "down")], notes=["x"], extra={"k": {"a": 5}})
    value = json.loads(comparison.to_json())
    assert value["runs"][0]["summary"]["m"]["mean"] == 0.75
    assert value["runs"][0]["status"] == {"successful": 2, "errored": 0, "incomplete": 0}
    assert value["runs"][0]["extra"] == {"k": 5}
    assert value["failures"] == [{"name": "b", "reason": "down", "traceback": "", "extra": {"k": None}}]
    assert value["notes"] == ["x"]


class Tags(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.open, self.text = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_html_is_escaped_closed_and_needs_nothing_else():
    nasty = "<script>alert('&')</script>"
    comparison = Comparison(
        [run(nasty, [0.5]), run("b", [0.25])], failures=[Failure(nasty, nasty, nasty)], notes=[nasty], extra={nasty: {}}
    )
    page = comparison.to_html()
    tags = Tags(page)
    assert "script" not in tags.tags and "link" not in tags.tags and "img" not in tags.tags
    assert tags.open == []
    assert not re.search(r"https?://", page)
    assert "".join(tags.text).count(nasty) >= 5
    assert '<td class="best">0.5000</td>' in page


def test_markup_in_a_markdown_cell_stays_text():
    line = Comparison([run("a|b\nc <b> \\", [0.5])]).to_markdown().splitlines()[2]
    assert line == "| a\\|b c &lt;b> \\\\ | 0.5000 |"


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("t.md", "| run | m |"),
        ("t.txt", "| run | m |"),
        ("t", "| run | m |"),
        ("t.csv", "run,m,"),
        ("t.json", '{\n  "kind": "fastrag_bench.comparison"'),
        ("t.html", "<!DOCTYPE html>"),
    ],
)
def test_save_writes_the_means_in_the_format_of_the_suffix(tmp_path, name, start):
    Comparison([run("é", [0.5])]).save(tmp_path / "new" / name)
    text = (tmp_path / "new" / name).read_bytes().decode()
    assert text.startswith(start)
    assert "é" in text and "\r" not in text


# The best


def test_best_takes_the_first_of_equals():
    assert Comparison([run("a", [0.5]), run("b", [0.9]), run("c", [0.9])]).best("m").name == "b"


def test_best_by_a_spread_is_the_smallest_and_by_count_the_largest():
    comparison = Comparison([run("wide", [0.0, 1.0]), run("narrow", [0.5, None])])
    assert comparison.best("m", "std").name == "narrow"
    assert comparison.best("m", "missing").name == "wide"
    assert comparison.best("m", "count").name == "wide"


def test_a_run_where_nothing_was_measured_is_no_candidate():
    lost = run("lost", [None, None], higher=False)
    assert Comparison([lost, run("slow", [9.0, 9.0], higher=False)]).best("m").name == "slow"
    with pytest.raises(ConfigurationError, match="no run has a score of 'm'"):
        Comparison([lost]).best("m")


def test_a_run_that_failed_on_the_hard_questions_does_not_win_silently():
    comparison = Comparison([run("honest", [0.5, 0.5]), run("survivor", [1.0], errored=1)])
    with pytest.warns(UserWarning, match="'survivor' has a better m than 'honest', but 1 of its 2 questions errored"):
        assert comparison.best("m").name == "honest"
    with pytest.warns(UserWarning, match="'survivor' is best by m, but 1 of its 2 questions errored"):
        assert comparison.best("m", allow_errors=True).name == "survivor"


def test_a_worse_run_with_errors_needs_no_warning():
    assert Comparison([run("good", [0.5, 0.5]), run("bad", [0.1], errored=1)]).best("m").name == "good"


def test_where_every_run_has_errors_they_are_compared_with_a_warning():
    comparison = Comparison([run("a", [0.5], errored=1), run("b", [0.75], errored=1)])
    with pytest.warns(UserWarning, match="1 of its 2 questions errored"):
        assert comparison.best("m").name == "b"


def test_best_names_what_is_wrong():
    comparison = Comparison([run("a", [0.5]), run("b", [0.5], higher=False)])
    with pytest.raises(ConfigurationError, match="no run has the metric 'n'; there is: m"):
        comparison.best("n")
    with pytest.raises(ConfigurationError, match="no statistic 'mode'"):
        comparison.best("m", "mode")
    with pytest.raises(ConfigurationError, match="disagree whether a higher 'm' is better"):
        comparison.best("m")
    with pytest.raises(ConfigurationError, match="no run has the metric 'm'"):
        Comparison.of([]).best("m")
    assert "**" not in comparison.to_markdown(mark_best=True)


def test_a_direction_that_no_file_states_is_assumed_with_a_warning():
    runs = [run("a", [0.5]), run("b", [0.75])]
    for each in runs:
        each.higher_is_better = {}
    with pytest.warns(UserWarning, match="higher is assumed"):
        assert Comparison(runs).best("m").name == "b"


# Loading


def test_a_file_name_that_looks_like_a_pattern_is_a_file(tmp_path):
    run("odd", [0.5]).save(tmp_path / "k=[5].json")
    run("plain", [0.5]).save(tmp_path / "k=5.json")
    assert [r.name for r in Comparison.load(tmp_path / "k=[5].json").results] == ["odd"]


def test_patterns_reach_into_folders_and_folders_are_no_matches(tmp_path):
    run("deep", [0.5]).save(tmp_path / "a.json" / "b" / "result.json")
    run("flat", [0.5]).save(tmp_path / "b.json")
    assert [r.name for r in Comparison.load(str(tmp_path / "*.json")).results] == ["flat"]
    assert [r.name for r in Comparison.load(str(tmp_path / "**" / "*.json")).results] == ["deep", "flat"]
    with pytest.raises(ConfigurationError, match=r"it is a folder, try .*/a.json/\*.json"):
        Comparison.load(tmp_path / "a.json")


def test_one_bad_file_fails_the_whole_load(tmp_path):
    run("a", [0.5]).save(tmp_path / "a.json")
    (tmp_path / "b.json").write_text("{}")
    with pytest.raises(ConfigurationError, match=r"b.json: name is missing"):
        Comparison.load(str(tmp_path / "*.json"))


# Two runs


def test_a_constant_difference_is_certain():
    comparison = Comparison([run("a", [0.5, 0.6, 0.7, 0.9]), run("b", [0.25, 0.35, 0.45, 0.65])])
    found = comparison.paired_bootstrap("m", "a", "b")
    assert (found.shared, found.first_higher, found.equal, found.first_lower) == (4, 4, 0, 0)
    assert found.mean == pytest.approx(0.25)
    assert found.low == pytest.approx(0.25) and found.high == pytest.approx(0.25)
    assert found.p_value == pytest.approx(2 / 16, abs=0.02)  # 2 of the 16 exchanges are as extreme


def test_equal_runs_do_not_differ():
    found = Comparison([run("a", [0.5, 0.7]), run("b", [0.5, 0.7])]).paired_bootstrap("m", 0, 1)
    assert (found.mean, found.low, found.high, found.p_value, found.significant) == (0.0, 0.0, 0.0, 1.0, False)


def test_the_interval_agrees_with_scipys():
    stats = pytest.importorskip("scipy.stats")
    numpy = pytest.importorskip("numpy")
    generator = numpy.random.default_rng(1)
    one = generator.random(60)
    other = one - 0.05 + generator.normal(0, 0.1, 60)
    found = Comparison([run("a", one.tolist()), run("b", other.tolist())]).paired_bootstrap("m", "a", "b")
    theirs = stats.bootstrap((one - other,), numpy.mean, method="percentile", rng=numpy.random.default_rng(2))
    assert found.low == pytest.approx(theirs.confidence_interval.low, abs=0.003)
    assert found.high == pytest.approx(theirs.confidence_interval.high, abs=0.003)
    assert found.significant


def test_the_difference_turns_with_the_order_and_repeats_with_the_seed():
    comparison = Comparison([run("a", [0.1, 0.9, 0.4, 0.8]), run("b", [0.3, 0.2, 0.4, 0.1])])
    there, back = comparison.paired_bootstrap("m", "a", "b"), comparison.paired_bootstrap("m", "b", "a")
    assert (there.mean, there.low, there.high) == pytest.approx((-back.mean, -back.high, -back.low))
    assert there == comparison.paired_bootstrap("m", "a", "b")


def test_only_questions_scored_in_both_runs_count():
    comparison = Comparison([run("a", [0.5, None, 0.9]), run("b", [0.25, 0.5], errored=1)])
    assert comparison.paired_bootstrap("m", "a", "b").shared == 1
    with pytest.raises(ConfigurationError, match="share no question"):
        Comparison([run("a", [None, 1.0]), run("b", [1.0, None])]).paired_bootstrap("m", "a", "b")


def test_runs_are_found_by_name_position_or_themselves():
    one, two = run("a", [0.5]), run("b", [0.25])
    comparison = Comparison([one, two])
    expected = comparison.paired_bootstrap("m", "a", "b")
    assert comparison.paired_bootstrap("m", one, -1) == expected
    for wrong in ("c", 2):
        with pytest.raises(ConfigurationError, match="no run is called"):
            comparison.paired_bootstrap("m", wrong, "a")
    with pytest.raises(ConfigurationError, match="confidence"):
        comparison.paired_bootstrap("m", 0, 1, confidence=95)


# Quality against latency


def test_the_pareto_front_holds_what_no_other_run_beats():
    comparison = Comparison(
        [
            run("slow and good", [0.9, 0.9], latency=90.0),
            run("beaten", [0.4, 0.4], latency=50.0),
            run("fast", [0.5, 0.5], latency=10.0),
            run("as fast, worse", [0.4, 0.4], latency=10.0),
            run("survivor", [1.0], latency=1.0, errored=1),
        ]
    )
    assert [result.name for result in comparison.pareto_front("m")] == ["fast", "slow and good"]
    with pytest.raises(ConfigurationError, match="no run has both"):
        Comparison([run("a", [0.5])]).pareto_front("m")
