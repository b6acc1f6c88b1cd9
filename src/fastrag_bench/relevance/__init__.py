"""What counts as found: gold ids, where a passage lies, and the ranks at which evidence turns up."""

from fastrag_bench.relevance.align import Alignment, Frozen, align, freeze
from fastrag_bench.relevance.gold import Gold, Span, gold_of, parse_span
from fastrag_bench.relevance.judge import Judged, judge
from fastrag_bench.relevance.place import Place, place_of
from fastrag_bench.relevance.stale import refuse_stale, text_hash
from fastrag_bench.relevance.unit import Unit, decide_unit

__all__ = [
    "Alignment",
    "Frozen",
    "Gold",
    "Judged",
    "Place",
    "Span",
    "Unit",
    "align",
    "decide_unit",
    "freeze",
    "gold_of",
    "judge",
    "parse_span",
    "place_of",
    "refuse_stale",
    "text_hash",
]
