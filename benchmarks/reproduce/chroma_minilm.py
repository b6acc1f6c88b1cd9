"""The Recursive rows of Chroma's MiniLM table as ONE sweep over chunkers.

    python benchmarks/reproduce/chroma_minilm.py FOLDER --model FOLDER_WITH_TOKENIZER_JSON

Needs the extra `transformers`. The table's caption says that lengths are cl100k tokens; its chunks are met only with
the model's word pieces and special tokens around every piece: the chunker of `piece_length.py` beside this file.
Retrieval is exact here and approximate in the study, hence the tolerance of recall.
"""

from __future__ import annotations

import sys

from runner import Expected, model_arguments, report, sweep

ROWS = {
    ("250", "125"): (78.7, 4.9, 21.9, 4.9),
    ("250", "0"): (78.5, 5.4, 26.7, 5.4),
    ("200", "0"): (75.7, 6.5, 31.2, 6.5),
}
METRICS = {"span_recall": 0.5, "span_precision": 0.06, "precision_omega": 0.06, "span_iou": 0.06}


def main() -> int:
    given = model_arguments(str(__doc__))
    common = (
        *("dataset=chroma", f"dataset.path={given.data.resolve()}", "retriever=dense", "generator=none", "k=5"),
        *("embedder=sentence_transformers", f"embedder.model={given.model}", "chunker=piece_length"),
        *(f"chunker.tokenizer={given.model}/tokenizer.json", f"metrics.names=[{','.join(METRICS)}]"),
    )
    runs = sweep(given.work, "chroma-minilm", *common, "chunker.size=250,200", "chunker.overlap=125,0")
    expectations = [
        Expected(f"Recursive {size}/{overlap} {name}", overrides(size, overlap), name, published, METRICS[name])
        for (size, overlap), row in ROWS.items()
        for name, published in zip(METRICS, (row[0], row[1], row[2], row[3]), strict=True)
    ]
    return 0 if report(runs, expectations, scale=100) else 1


def overrides(size: str, overlap: str) -> dict[str, str]:
    return {"chunker.size": size, "chunker.overlap": overlap}


if __name__ == "__main__":
    sys.exit(main())
