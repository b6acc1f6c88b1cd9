"""Precision-Omega of Chroma's OpenAI table: the four Recursive and four TokenText rows, which need no embedding.

    python benchmarks/reproduce/chroma_omega.py FOLDER

Needs `tiktoken` with the ranks of cl100k. The TokenText rows use a chunker of one's own, `token_text.py` beside this
file: exact windows of tokens, which may cut words and which no chunker of the package makes. The study places a chunk
where its text stands first, which is wrong for text that comes twice; with the true places the figures are higher.
"""

from __future__ import annotations

import sys

from runner import Expected, arguments, report, sweep
from tiktoken_ranks import environment

RECURSIVE = {("800", "400"): 6.7, ("400", "200"): 13.9, ("400", "0"): 17.7, ("200", "0"): 29.9}
TOKEN_TEXT = {("800", "400"): 4.7, ("400", "200"): 8.4, ("400", "0"): 12.5, ("200", "0"): 21.0}
NAME = "precision_omega"


def main() -> int:
    given = arguments(str(__doc__))
    common = ("dataset=chroma", f"dataset.path={given.data.resolve()}", "retriever=bm25", "generator=none", "k=5")
    good = True
    for name, rows, words in (
        ("recursive", RECURSIVE, ("chunker=chroma_recursive",)),
        ("token_text", TOKEN_TEXT, ("chunker=token_text", "chunker.by_search=true")),
        ("token_text, true places,", TOKEN_TEXT, ("chunker=token_text",)),
    ):
        settings = (*common, *words, f"metrics.names=[{NAME}]")
        runs = []
        for part, size, overlap in (("a", "800", "400"), ("b", "400", "200,0"), ("c", "200", "0")):
            sizes = (f"chunker.size={size}", f"chunker.overlap={overlap}")
            label = f"chroma-omega-{name.partition(',')[0]}-{part}{'-true' if ',' in name else ''}"
            for run in sweep(given.work, label, *settings, *sizes, environment=environment(given.work)):
                runs.append(
                    {**run, "overrides": {"chunker.size": size, "chunker.overlap": overlap, **run["overrides"]}}
                )
        good &= report(runs, [_expected(name, *row, value) for row, value in rows.items()], scale=100)
    return 0 if good else 1


def _expected(name: str, size: str, overlap: str, published: float) -> Expected:
    setting = {"chunker.size": size, "chunker.overlap": overlap}
    return Expected(
        f"{name} {size}/{overlap} Precision-Omega", setting, NAME, published, 0.5 if "true" in name else 0.06
    )


if __name__ == "__main__":
    sys.exit(main())
