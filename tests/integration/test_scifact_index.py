"""BM25 on BEIR SciFact meets the published figures (bm25s, Lucene, k1 1.5, b .75, Snowball English, stop words)."""

from pathlib import Path
from statistics import fmean

import pytest

from fastrag_bench.component import library_version
from fastrag_bench.datasets.sources.beir import BeirDataset
from fastrag_bench.indexes.bm25 import Bm25Index

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "scifact_beir"


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the collection is not part of the project")
def test_scifact(tmp_path: Path) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    data = BeirDataset(path=str(FOLDER)).load()
    assert data.corpus is not None
    assert (len(data.corpus), len(data.questions), data.notes) == (5183, 300, ())
    index = Bm25Index()
    index.build([document.text for document in data.corpus], tmp_path)
    searcher = index.open(tmp_path)
    run, judged = {}, {}
    for sample in data.questions:
        found, name = searcher.search(sample.question, 100), sample.metadata["id"]
        run[name] = {data.corpus[chunk].id: score for chunk, score in zip(found.chunks, found.scores, strict=True)}
        judged[name] = dict.fromkeys(sample.relevant_ids, 1)
    scores = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10", "recall.100"}).evaluate(run).values()
    published = 0.6863 if (library_version("PyStemmer") or "").startswith("3.") else 0.6874
    assert fmean(score["ndcg_cut_10"] for score in scores) == pytest.approx(published, abs=5e-5)
    assert fmean(score["recall_100"] for score in scores) == pytest.approx(0.9127, abs=5e-5)
