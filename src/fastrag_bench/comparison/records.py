"""An analysis as plain data, for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastrag_bench.comparison.analysis import Analysis


def analysis_record(analysis: Analysis) -> dict[str, Any]:
    """Everything but the scores of single questions, with names instead of places."""
    matrix, standing = analysis.matrix, analysis.standing
    return {
        "metric": analysis.metric,
        "higher_is_better": matrix.higher,
        "questions": standing.questions,
        "not_applicable": matrix.not_applicable,
        "clusters": standing.clusters,
        "best": matrix.runs[standing.best],
        "not_distinguishable": [matrix.runs[place] for place in standing.group[1:]],
        "runs": [
            {
                "run": run,
                "mean": float(standing.means[place]),
                "low": float(standing.intervals[place, 0]),
                "high": float(standing.intervals[place, 1]),
                "missing": matrix.missing[place],
                "p_against_best": float(standing.against_best[place]),
            }
            for place, run in enumerate(matrix.runs)
        ],
        "best_minus": [asdict(each) for each in standing.differences],
        "optimism": _optimism(analysis),
        "factors": {
            "effects": [asdict(each) for each in analysis.factors.effects],
            "interactions": [asdict(each) for each in analysis.factors.interactions[:10]],
            "unmatched": analysis.factors.unmatched,
        },
        "repeats": {name: asdict(parts) for name, parts in analysis.repeats.items()},
        "questions_needed": analysis.needed,
        "warnings": list(analysis.warnings),
    }


def _optimism(analysis: Analysis) -> dict[str, float] | None:
    found = analysis.optimism
    if found is None:
        return None
    chosen = float(found.chosen[analysis.standing.best])
    return {"raw": found.raw, "out_of_bag": found.out_of_bag, "shrunk": found.shrunk, "best_chosen": chosen}
