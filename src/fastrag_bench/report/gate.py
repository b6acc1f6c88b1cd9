"""A gate for continuous integration: no run may be worse than the baseline by more than a margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import quoteattr

from fastrag_bench.comparison.paired import PairedDifference

PASSED, FAILED, UNDECIDED = 0, 4, 5
Verdict = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True)
class Check:
    """One run against the baseline, by non-inferiority (Piaggio et al. 2012)."""

    difference: PairedDifference
    """Run minus baseline, turned so that more is better."""

    margin: float

    @property
    def verdict(self) -> Verdict:
        """Failed if the whole interval lies below -margin, passed if none of it does, undecided between."""
        if self.difference.high < -self.margin:
            return "failed"
        return "passed" if self.difference.low >= -self.margin else "undecided"

    def __str__(self) -> str:
        found = self.difference
        return (
            f"{self.verdict}: {found.first}: {found.metric} {found.mean:+.4f} [{found.low:+.4f}, {found.high:+.4f}] "
            f"against {found.second} (margin {self.margin:g}, {found.shared} questions in {found.clusters} clusters)"
        )


def exit_code(checks: Sequence[Check]) -> int:
    """4 if any check failed, else 5 if any is undecided or there is none, else 0."""
    verdicts = [check.verdict for check in checks]
    if "failed" in verdicts:
        return FAILED
    return PASSED if verdicts and "undecided" not in verdicts else UNDECIDED


def junit_xml(checks: Sequence[Check]) -> str:
    """The checks as JUnit XML: a failed one is a failure, an undecided one an error."""
    verdicts = [check.verdict for check in checks]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="fastrag-bench compare" tests="{len(checks)}" failures="{verdicts.count("failed")}" '
        f'errors="{verdicts.count("undecided")}">',
    ]
    for check in checks:
        name = quoteattr(_legal(f"{check.difference.metric}: {check.difference.first}"))
        inner = {"passed": "", "failed": "failure", "undecided": "error"}[check.verdict]
        told = f"<{inner} message={quoteattr(_legal(str(check)))}/>" if inner else ""
        lines.append(f'  <testcase classname="fastrag_bench.compare" name={name}>{told}</testcase>')
    return "\n".join([*lines, "</testsuite>"]) + "\n"


def _legal(text: str) -> str:
    return "".join(letter if letter >= " " and not "\ud800" <= letter <= "\udfff" else " " for letter in text)
