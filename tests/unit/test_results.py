import json
import os
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import BenchmarkResult, SampleResult, StatusCounts
from fastrag_bench.types import DistributionSummary


def small():
    samples = [
        SampleResult("a?", "successful", {"recall": 1.0}, "Ada", ["d1"], ["file:d1"], 12.5),
        SampleResult("b?", "errored", {"recall": None}, error="TimeoutError: no outcome within 2 s"),
    ]
    return BenchmarkResult(
        name="run",
        created_at=datetime(2024, 5, 1, 12, tzinfo=UTC),
        status=StatusCounts(1, 1, 0),
        summary={"recall": DistributionSummary.of([1.0, None])},
        samples=samples,
        duration_s=0.25,
        higher_is_better={"recall": True},
    )


FILE = """\
{
  "kind": "fastrag_bench.result",
  "schema_version": 1,
  "name": "run",
  "created_at": "2024-05-01T12:00:00+00:00",
  "status": {"successful": 1, "errored": 1, "incomplete": 0},
  "summary": {
    "recall": {"count": 1, "missing": 1, "mean": 1.0, "median": 1.0, "std": 0.0, "min": 1.0, "max": 1.0, \
"percentiles": {"p5": 1.0, "p25": 1.0, "p50": 1.0, "p75": 1.0, "p90": 1.0, "p95": 1.0, "p99": 1.0}}
  },
  "samples": [
    {"question": "a?", "status": "successful", "scores": {"recall": 1.0}, "answer": "Ada", "retrieved_ids": ["d1"], \
"retrieved_uris": ["file:d1"], "latency_ms": 12.5, "error": null},
    {"question": "b?", "status": "errored", "scores": {"recall": null}, "answer": null, "retrieved_ids": [], \
"retrieved_uris": [], "latency_ms": 0.0, "error": "TimeoutError: no outcome within 2 s"}
  ],
  "duration_s": 0.25,
  "higher_is_better": {"recall": true}
}
"""


def test_the_file_is_json_that_a_person_can_read(tmp_path):
    small().save(tmp_path / "new" / "run.json")
    assert (tmp_path / "new" / "run.json").read_bytes() == FILE.encode()
    assert os.listdir(tmp_path / "new") == ["run.json"]


def changed(**fields):
    return {**json.loads(FILE), **fields}


@pytest.fixture
def load(tmp_path):
    def load(value):
        path = tmp_path / "run.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return BenchmarkResult.load(path)

    return load


def test_an_older_file_without_version_and_kind_is_read(load):
    value = changed(extra=1)
    del value["schema_version"], value["kind"], value["higher_is_better"]
    expected = small()
    expected.higher_is_better = {}
    assert load(value) == expected


@pytest.mark.parametrize("version", [0, 1, "1.7"])
def test_versions_up_to_ours_are_read(load, version):
    assert load(changed(schema_version=version)) == small()


def test_z_is_utc_and_a_time_without_offset_stays_without(load):
    assert load(changed(created_at="2024-05-01T12:00:00Z")) == small()
    assert load(changed(created_at="2024-05-01T12:00:00")).created_at == datetime(2024, 5, 1, 12)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"schema_version": 2}, "schema_version 2 is newer than 1"),
        ({"schema_version": "new"}, "schema_version is 'new'"),
        ({"kind": "something"}, "kind is 'something'"),
        ({"name": 3}, "name: expected text"),
        ({"created_at": "yesterday"}, "created_at: not an ISO 8601 time"),
        ({"status": {"successful": 1, "errored": 1}}, "status: incomplete is missing"),
        ({"status": {"successful": 2, "errored": 0, "incomplete": 0}}, "status does not agree with the samples"),
        ({"status": {"successful": True, "errored": 1, "incomplete": 0}}, "successful: expected a whole number"),
        ({"summary": {"recall": {"count": 1}}}, "summary: recall: missing is missing"),
        ({"samples": {}}, "samples: expected a list"),
        ({"samples": [3]}, "samples[0]: expected an object"),
        ({"samples": [{"question": "a", "status": "fine", "scores": {}}]}, "samples[0]: status is 'fine'"),
        ({"samples": [{"question": "a", "status": "errored", "scores": {"m": "x"}}]}, "scores: m: expected a number"),
        ({"duration_s": None}, "duration_s: expected a number"),
        ({"duration_s": True}, "duration_s: expected a number"),
        ({"higher_is_better": {"recall": "yes"}}, "higher_is_better: recall: expected true or false"),
    ],
)
def test_what_is_wrong_is_named_with_path_and_field(load, fields, message):
    with pytest.raises(ConfigurationError) as error:
        load(changed(**fields))
    assert message in str(error.value)
    assert "run.json" in str(error.value)


@pytest.mark.parametrize("field", ["name", "created_at", "status", "summary", "samples", "duration_s"])
def test_a_missing_field_is_named(load, field):
    value = changed()
    del value[field]
    with pytest.raises(ConfigurationError, match=f"{field} is missing"):
        load(value)


@pytest.mark.parametrize("content", ["", "[1", "[]", "3", '{"duration_s": NaN}', "[" * 100_000])
def test_what_is_no_result_is_refused(load, content):
    with pytest.raises(ConfigurationError):
        load(content)


def test_a_missing_file_is_two_kinds_of_error(tmp_path):
    with pytest.raises(ConfigurationError, match="no such result file"):
        BenchmarkResult.load(tmp_path / "none.json")
    with pytest.raises(FileNotFoundError):
        BenchmarkResult.load(tmp_path / "none.json")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        BenchmarkResult.load(tmp_path)


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(max_size=10)
SAMPLES = st.lists(
    st.builds(
        SampleResult,
        question=TEXT,
        status=st.sampled_from(["successful", "errored", "incomplete"]),
        scores=st.dictionaries(TEXT, st.none() | FLOATS, max_size=3),
        answer=st.none() | TEXT,
        retrieved_ids=st.lists(TEXT, max_size=2),
        retrieved_uris=st.lists(TEXT, max_size=2),
        latency_ms=FLOATS,
        error=st.none() | TEXT,
    ),
    max_size=3,
)


@given(
    samples=SAMPLES,
    name=TEXT,
    when=st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-7, minutes=-30)), None])),
    scores=st.dictionaries(TEXT, st.lists(st.none() | FLOATS, max_size=4), max_size=3),
)
def test_loading_what_was_saved_gives_an_equal_result(tmp_path_factory, samples, name, when, scores):
    path = tmp_path_factory.mktemp("round") / "run.json"
    result = BenchmarkResult(
        name,
        when,
        StatusCounts.of(samples),
        {metric: _summary(values) for metric, values in scores.items()},
        samples,
        1.5,
        {metric: True for metric in scores},
    )
    result.save(path)
    assert BenchmarkResult.load(path) == result


def _summary(values):
    # a spread of 1e308 overflows to infinity, which is no figure
    return DistributionSummary.of([value if value is None or abs(value) < 1e150 else None for value in values])


def test_a_lone_surrogate_and_markup_survive(tmp_path):
    result = small()
    result.name = "\ud800 <script> | =cmd"
    result.save(tmp_path / "a.json")
    assert BenchmarkResult.load(tmp_path / "a.json") == result
