import numpy as np
import pytest

from fastrag_bench.comparison import Comparison
from fastrag_bench.comparison.clusters import clusters_by_gold, document_of
from fastrag_bench.comparison.corrections import holm, resamples_for
from fastrag_bench.comparison.holdout import holdout
from fastrag_bench.comparison.matrix import ScoreMatrix
from fastrag_bench.comparison.paired import clustered_error, clustered_t, differences_to
from fastrag_bench.comparison.power import questions_needed
from fastrag_bench.comparison.repeats import repeats_of, variance_parts
from fastrag_bench.comparison.resampling import cluster_sums, expanded_tail, flip_p, intervals
from fastrag_bench.comparison.standing import all_pairs_p, standing
from fastrag_bench.comparison.student import t_quantile, t_sf
from fastrag_bench.comparison.study import Study
from fastrag_bench.comparison.tradeoffs import front, optimism, parse_constraint
from fastrag_bench.errors import ConfigurationError
from tests.unit.test_comparison import run


def matrix(scores, labels=None, known=None, higher=True):
    values = np.array(scores, dtype=float)
    runs, questions = values.shape
    return ScoreMatrix(
        "m",
        tuple(f"r{place}" for place in range(runs)),
        tuple((f"q{place}", 1) for place in range(questions)),
        values,
        np.ones_like(values, dtype=bool) if known is None else np.array(known, dtype=bool),
        np.arange(questions) if labels is None else np.array(labels),
        higher,
    )


def sums(differences, labels=None):
    values = np.array([differences], dtype=float)
    return cluster_sums(values, np.ones_like(values, dtype=bool), np.array(labels or range(values.shape[1])))


# Clusters


def test_questions_of_one_document_form_a_cluster_and_two_documents_join_theirs():
    gold = [["a.md#char=0,9"], ["b.md#char=3,7"], ["a.md#char=50,60", "b.md#char=0,2"], ["c.md"], [], []]
    assert clusters_by_gold(gold).tolist() == [0, 0, 0, 1, 2, 3]


def test_a_document_is_what_stands_before_the_place():
    assert [document_of(name) for name in ("a.md#char=0,9", "a.md#3", "a.md", "c#", "#5")] == [
        "a.md",
        "a.md",
        "a.md",
        "c#",
        "#5",
    ]


# One pair


def test_all_exchanges_are_counted_when_they_are_few():
    p, exact = flip_p(sums([0.5, 0.25, 1.0, 0.25]), resamples=1_000, seed=0)
    assert exact and p.tolist() == [2 / 16]


def test_exchanges_go_by_cluster():
    p, exact = flip_p(sums([0.5, 0.25, 1.0, 0.25], [0, 0, 0, 1]), resamples=1_000, seed=0)
    assert exact and p.tolist() == [2 / 4]


def test_a_p_is_never_zero():
    p, exact = flip_p(sums([1.0] * 60), resamples=500, seed=0)
    assert not exact and p.tolist() == [1 / 501]


def test_the_p_agrees_with_scipys_permutation_test():
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(5)
    differences = generator.normal(0.05, 0.3, 12)
    theirs = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    assert flip_p(sums(differences), resamples=5_000, seed=0)[0][0] == pytest.approx(theirs, abs=1e-12)


def test_student_agrees_with_scipy():
    stats = pytest.importorskip("scipy.stats")
    for df in (1, 2.5, 18, 400):
        for t in (-3.0, 0.0, 0.4, 2.1, 11.0):
            assert t_sf(t, df) == pytest.approx(stats.t.sf(t, df), rel=1e-10)
        assert t_quantile(0.975, df) == pytest.approx(stats.t.ppf(0.975, df), rel=1e-9)
    one, other = np.random.default_rng(1).random((2, 30))
    assert clustered_t(sums(one - other))[0] == pytest.approx(stats.ttest_rel(one, other).pvalue, rel=1e-9)


def test_the_clustered_t_agrees_with_statsmodels():
    """OLS of a constant with cov_type="cluster", use_t: statsmodels 0.15 gives .05015600661934718 and .005388347."""
    data = sums([0.5, 0.25, -0.25, 0.75, 0, 0.5, 1, -0.5, 0.25, 0.25], [0, 0, 1, 1, 1, 2, 3, 3, 4, 4])
    assert clustered_error(data)[0] == pytest.approx(0.05015600661934718, rel=1e-12)
    assert clustered_t(data)[0] == pytest.approx(0.005388347080669142, rel=1e-9)


def test_few_clusters_widen_the_interval():
    assert expanded_tail(1_000_000, 0.95) == pytest.approx(0.025, abs=1e-5)
    assert expanded_tail(10, 0.95) == pytest.approx(0.00855, abs=1e-4)  # 1 - Phi(2.2622 * sqrt(10 / 9))
    ends = intervals(sums([0.1, 0.5, 0.2, 0.9, 0.4]), resamples=4_000, seed=0, confidence=0.95)
    assert 0.1 <= ends[0, 0] < 0.42 < ends[0, 1] <= 0.9


def test_holm_agrees_with_statsmodels():
    assert holm([0.01, 0.04, 0.03, 0.005, 0.2]) == pytest.approx([0.04, 0.09, 0.09, 0.025, 0.2])
    assert holm([]) == []


def test_the_resamples_suffice_for_the_family():
    for family in (1, 23, 7_140):
        assert family / (resamples_for(family) + 1) < 0.05 / 10


def test_missing_scores_count_in_pairs_only_and_are_told():
    known = [[True, True, True, True], [True, False, True, False], [False, True, False, False]]
    data = matrix([[0.5, 0.5, 1.0, 1.0], [0.25, 0, 0.5, 0], [0, 0.5, 0, 0]], known=known)
    one, other = differences_to(data, 0, [1, 2], resamples=100, seed=0, confidence=0.95)
    assert (one.shared, one.only_first, one.only_second, one.mean) == (2, 2, 0, 0.375)
    assert (other.shared, other.only_first, other.first_higher, other.equal, other.first_lower) == (1, 3, 0, 1, 0)


def test_effect_size_is_the_mean_in_standard_deviations():
    (found,) = differences_to(matrix([[1, 0, 1, 1], [0, 0, 0, 1]]), 0, [1], resamples=100, seed=0, confidence=0.95)
    assert found.effect == pytest.approx(0.5 / np.std([1, 0, 1, 0], ddof=1))


# All pairs


def test_the_group_holds_what_cannot_be_told_from_the_best():
    generator = np.random.default_rng(0)
    base = generator.random(60)
    noisy = [base + shift + generator.normal(0, 0.05, 60) for shift in (0.30, 0.295, 0.0, -0.2)]
    found = standing(matrix(noisy))
    assert sorted(found.group) == [0, 1] and found.group[0] == found.best
    assert all(found.against_best[place] < 0.01 for place in (2, 3))
    lower = standing(matrix(noisy, higher=False))
    assert (lower.best, lower.group) == (3, [3])


def test_adjusting_for_all_pairs_never_helps_a_pair():
    scores = np.random.default_rng(3).random((6, 12))
    data = matrix(scores)
    adjusted = all_pairs_p(data, resamples=4_096, seed=0)
    alone = differences_to(data, 0, range(1, 6), resamples=4_096, seed=0, confidence=0.95)
    assert all(adjusted[0, place] >= each.p_value for place, each in enumerate(alone, start=1))
    assert (adjusted == adjusted.T).all()


def test_missing_scores_take_the_long_way_to_the_same_p():
    scores = np.random.default_rng(4).random((4, 10))
    known = np.ones((5, 10), dtype=bool)
    known[4, 0] = False
    longer = matrix(np.vstack([scores, scores[0]]), known=known)
    assert all_pairs_p(matrix(scores), resamples=5_000, seed=0) == pytest.approx(
        all_pairs_p(longer, resamples=5_000, seed=0)[:4, :4], abs=0.25
    )


def test_equal_runs_are_never_told_apart():
    assert standing(matrix([[0.1, 0.5, 0.9]] * 3)).against_best.tolist() == [1.0, 1.0, 1.0]


def test_equal_pipelines_are_rarely_called_different():
    """A short form of benchmarks/significance.py: 12 equal runs, 60 questions over 20 documents."""
    generator = np.random.default_rng(7)
    errors = 0
    for seed in range(150):
        labels = np.unique(generator.integers(0, 20, 60), return_inverse=True)[1]
        scores = (
            generator.random(60) + generator.normal(0, 0.3, (12, 20))[:, labels] + generator.normal(0, 0.3, (12, 60))
        )
        errors += all_pairs_p(matrix(scores, labels), resamples=499, seed=seed).min() <= 0.05
    assert errors <= 15  # 7.5 expected, 15 is 2.8 standard deviations above


# How many questions, repeats


def test_questions_needed_grow_with_the_square():
    assert questions_needed(0.3, 0.02) == 1766  # ((1.959964 + 0.841621) * 15) ** 2 = 1765.97
    assert questions_needed(0.3, 0.04) == 442
    assert questions_needed(0.3, 0.02, design=2.0) == 3532


def test_the_variance_is_split_into_question_and_repeat():
    questions = np.array([0.0, 1.0, 0.0, 1.0])
    parts = variance_parts(np.array([questions, questions + 0.2]))
    assert parts.question == pytest.approx(1 / 3) and parts.repeat == pytest.approx(0.02)
    assert parts.residual == pytest.approx(0.0, abs=1e-12)


def test_repeats_are_found_by_name():
    names = ["k=5", "k=5#2", "k=10,seed=1", "k=10,seed=2", "generator.seed=3,k=10", "chunker=a"]
    assert repeats_of(names) == {"k=5": [0, 1], "k=10": [2, 3, 4]}


# Trade-offs


def test_a_front_over_any_figures():
    figures = [[0.9, 90.0, 5.0], [0.4, 50.0, 5.0], [0.5, 10.0, 5.0], [0.5, 10.0, 4.0], [None, 1.0, 1.0]]
    assert front(figures, [True, False, False]) == [0, 3]
    assert front(figures, [True, False, True]) == [0, 2]


def test_limits_are_read_and_kept():
    limit = parse_constraint("latency_ms.p95<=200", ["mean", "p95"])
    assert (limit.metric, limit.stat, str(limit)) == ("latency_ms", "p95", "latency_ms.p95<=200")
    assert limit.holds(200) and not limit.holds(200.1) and not limit.holds(None)
    assert parse_constraint("recall@2000chars > .5", ["mean"]).metric == "recall@2000chars"
    with pytest.raises(ConfigurationError, match="is not a limit"):
        parse_constraint("latency_ms", ["mean"])


def test_the_winner_of_equal_runs_is_worth_less_than_it_shows():
    scores = np.random.default_rng(2).integers(0, 2, (40, 50)).astype(float)
    found = optimism(matrix(scores))
    assert found.raw > 0.6 and found.shrunk < found.raw - 0.05 and found.shrunk == pytest.approx(0.5, abs=0.1)
    clear = optimism(matrix([[0.9] * 20, [0.1] * 20]))
    assert clear.shrunk == pytest.approx(0.9) and clear.chosen.tolist() == [1.0, 0.0]
    assert optimism(matrix([[0.5, 0.5, 0.5]])) is None


def test_a_holdout_keeps_documents_whole_and_does_not_depend_on_the_runs():
    labels = np.repeat(np.arange(10), 4)
    kept = holdout(matrix(np.zeros((2, 40)), labels), 0.25)
    assert 8 <= kept.sum() <= 12
    assert all(len(set(kept[labels == label])) == 1 for label in range(10))
    assert (kept == holdout(matrix(np.ones((5, 40)), labels), 0.25)).all()
    with pytest.raises(ConfigurationError, match="between 0 and 1"):
        holdout(matrix(np.zeros((2, 40)), labels), 1.5)


# Factors and the answer


def grid(effects, questions=60, seed=0, missing=()):
    """Runs named after their settings; `effects` gives what each adds."""
    generator = np.random.default_rng(seed)
    base = generator.random(questions)
    names = [f"chunker={c},reranker={r}" for c in "ab" for r in ("none", "mmr")]
    return [
        run(
            name,
            (
                base + sum(effects.get(part, 0) for part in name.split(",")) + generator.normal(0, 0.02, questions)
            ).tolist(),
        )
        for name in names
        if name not in missing
    ]


def test_the_effect_of_each_axis_over_matched_contexts():
    found = Comparison(grid({"reranker=mmr": 0.1})).analysis("m").factors
    (reranker,), (chunker,) = found.of("reranker"), found.of("chunker")
    assert reranker.mean == pytest.approx(0.1, abs=0.01) and reranker.low > 0.09 and reranker.seen
    assert (reranker.low_level, reranker.high_level, reranker.contexts) == ("none", "mmr", 2)
    assert abs(chunker.mean) < 0.01 and not chunker.seen


def test_an_incomplete_grid_matches_what_it_can_and_says_what_it_cannot():
    found = Comparison(grid({}, missing={"chunker=a,reranker=none", "chunker=b,reranker=mmr"})).analysis("m").factors
    assert found.effects == [] and found.unmatched == ["chunker: a and b", "reranker: mmr and none"]
    one = Comparison(grid({}, missing={"chunker=a,reranker=none"})).analysis("m").factors
    assert [effect.contexts for effect in one.effects] == [1, 1]


def test_an_interaction_is_what_one_axis_does_to_the_effect_of_another():
    results = grid({})
    for sample in results[3].samples:
        sample.scores["m"] += 0.2
    (found,) = Comparison(results).analysis("m").factors.interactions
    assert found.mean == pytest.approx(0.2, abs=0.02) and found.adjusted_p < 0.01


def test_the_answer_names_what_to_take_and_what_matters():
    answer = Comparison(grid({"reranker=mmr": 0.1}), study=Study(primary="m")).recommendation()
    assert answer.settings["reranker"] == "mmr"
    text = " ".join(answer.sentences)
    assert text.startswith("Take chunker=") and "not distinguishable" in text
    assert "reranker matters (mmr over none +0.099" in text and "chunker: no difference seen" in text
    assert len(answer.sentences) <= 3


def test_the_answer_says_when_nothing_can_be_said():
    answer = Comparison(grid({})[:2], study=Study(primary="m")).recommendation()
    assert answer.take is None and answer.sentences[0].startswith(
        "Nothing can be said about m: none of the 2 pipelines"
    )


def test_k_never_wins_by_a_metric_that_follows_it():
    generator = np.random.default_rng(1)
    base = generator.random(50) / 2
    results = [run(f"k={k}", (base + k / 100 + generator.normal(0, 0.01, 50)).tolist()) for k in (5, 10)]
    answer = Comparison(results, study=Study(primary="m", follows={"k": frozenset({"m"})})).recommendation()
    assert "k" not in answer.settings
    assert "k cannot be decided by it" in answer.sentences[0] and "moves it by construction" in answer.sentences[-1]
    unweighed = Comparison(results, study=Study(primary="m")).recommendation()
    assert "k" not in unweighed.settings  # no cost and no answer metric stands beside it


def test_a_run_with_errors_wins_only_if_it_does_with_them_scored_worst():
    generator = np.random.default_rng(1)
    base = generator.random(40)
    whole = run("x=whole", (base * 0.8).tolist())
    shaky = run("x=shaky", base[:30].tolist(), errored=10)
    analysis = Comparison([whole, shaky]).analysis("m")
    assert analysis.best.name == "x=whole" and "missing unequally, most in x=shaky (10 of 40" in analysis.warnings[0]


def test_runs_on_other_questions_are_not_compared_and_identical_pipelines_once():
    a, b, c = run("x=a", [0.1, 0.5]), run("x=b", [0.1, 0.5]), run("x=c", [0.2, 0.4])
    with pytest.warns(UserWarning):
        other = Comparison([a, c, run("x=d", [0.1], questions="other")]).analysis("m")
    assert other.matrix.runs == ("x=a", "x=c") and "1 run was asked other questions" in other.warnings[0]
    same = Comparison([a, b, c], study=Study(identical={"x=b": "x=a"}))
    assert same.analysis("m").matrix.runs == ("x=a", "x=c")
    assert [row.split(" | ")[0] for row in same.to_markdown().splitlines()[2:]] == ["| x=a = x=b", "| x=c"]
    assert "x=b,0.3,x=a," in same.to_csv()


def test_a_question_without_a_score_in_any_run_is_not_applicable():
    comparison = Comparison([run("x=a", [0.5, None, 0.25]), run("x=b", [0.5, None, 0.75])])
    assert comparison.analysis("m").matrix.not_applicable == 1
    assert "incomplete" not in comparison.to_markdown()
    assert "incomplete" in Comparison([run("x=a", [0.5, None]), run("x=b", [0.5, 0.5])]).to_markdown()
