"""all-MiniLM-L6-v2 on BEIR SciFact against the figures of MTEB.

    python benchmarks/reproduce/scifact_minilm.py FOLDER --model FOLDER_OR_NAME

Needs the extra `transformers`. Embedding 5,183 abstracts takes some minutes on two processors.
"""

from __future__ import annotations

import sys

from runner import Expected, model_arguments, report, sweep


def main() -> int:
    given = model_arguments(str(__doc__))
    runs = sweep(
        given.work,
        "scifact-minilm",
        *("dataset=beir", f"dataset.path={given.data.resolve()}", "chunker=none", "retriever=dense", "generator=none"),
        *("embedder=sentence_transformers", f"embedder.model={given.model}", "candidates=100", "k=10"),
        "metrics.names=[ndcg@10,recall@100]",
    )
    expectations = [
        Expected("MiniLM nDCG@10 (MTEB)", {}, "ndcg@10", 0.64508, 0.0005),
        Expected("MiniLM R@100 (MTEB)", {}, "recall@100", 0.925, 0.0005),
    ]
    return 0 if report(runs, expectations) else 1


if __name__ == "__main__":
    sys.exit(main())
