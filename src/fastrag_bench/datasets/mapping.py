"""Which column of foreign records holds the question, the expected answers and the relevant ids."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields

from fastrag_bench.errors import ConfigurationError

QUESTION = ("question", "query", "user_input", "prompt")
EXPECTED_ANSWERS = (
    "expected_answers",
    "expected_answer",
    "ground_truth",
    "ground_truths",
    "reference",
    "reference_answer",
    "answers",
)
RELEVANT_IDS = (
    "relevant_ids",
    "relevant_id",
    "relevant_doc_ids",
    "relevant_document_ids",
    "gold_ids",
    "gold_doc_ids",
    "reference_context_ids",
    "contexts",
)
GUARDS_ANSWER = frozenset({"ground_truth", "ground_truths", "reference", "response", "contexts", "retrieved_contexts"})
"""Beside one of these, `answer` is what some system said, not what counts as right."""


@dataclass(frozen=True)
class ColumnMapping:
    """Names the columns that automatic detection would not find.

    None means detect; a name is taken as it is, for that field alone; an empty text means that there is no such column,
    even if one looks like it (`ColumnMapping(relevant_ids="")` for a file whose `contexts` hold texts).
    """

    question: str | None = None
    expected_answers: str | None = None
    relevant_ids: str | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not isinstance(value, str):
                raise ConfigurationError(f"ColumnMapping.{field.name} is a column name, not {value!r}")


@dataclass(frozen=True)
class Columns:
    """The columns found, spelt as in the records; None where there is no such column."""

    question: str
    expected_answers: str | None
    relevant_ids: str | None
    metadata: str | None
    detected_ids: bool
    """Whether the column of ids was found by its name, so that its values deserve a second look."""


def find_columns(available: Sequence[str], mapping: ColumnMapping, *, where: str) -> Columns:
    """Decide for each field; names agree after trimming and case-folding.

    Args:
        available: every column of any record, in order of first appearance.
        mapping: what the user said.
        where: the file or list, for messages.

    Raises:
        ConfigurationError: two columns claim one field, a named column is absent, or none holds the question.
    """
    named = {name for name in (mapping.question, mapping.expected_answers, mapping.relevant_ids) if name}
    taken = {_named(available, name, where) for name in sorted(named)}
    free = [column for column in available if column not in taken]
    question = _pick(free, available, mapping.question, QUESTION, "question", where)
    if question is None:
        raise ConfigurationError(
            f'{where}: no column holds the question; name it with ColumnMapping(question="..."). {_columns(available)}'
        )
    metadata = [column for column in free if _key(column) == "metadata"]
    return Columns(
        question=question,
        expected_answers=_pick(
            free, available, mapping.expected_answers, _answer_aliases(available), "expected_answers", where
        ),
        relevant_ids=_pick(free, available, mapping.relevant_ids, RELEVANT_IDS, "relevant_ids", where),
        metadata=metadata[0] if metadata else None,
        detected_ids=mapping.relevant_ids is None,
    )


def _answer_aliases(available: Sequence[str]) -> tuple[str, ...]:
    guarded = any(_key(column) in GUARDS_ANSWER for column in available)
    return EXPECTED_ANSWERS if guarded else (*EXPECTED_ANSWERS, "answer")


def _pick(
    free: Sequence[str],
    available: Sequence[str],
    named: str | None,
    aliases: Collection[str],
    field: str,
    where: str,
) -> str | None:
    if named is not None:
        return _named(available, named, where) if named else None
    found = [column for column in free if _key(column) in aliases]
    if len(found) > 1:
        both = " and ".join(repr(column) for column in found)
        raise ConfigurationError(
            f"{where}: the columns {both} could each be {field}; "
            f"say which with ColumnMapping({field}={found[0]!r}), or rename the other"
        )
    return found[0] if found else None


def _named(available: Sequence[str], name: str, where: str) -> str:
    if name in available:
        return name
    alike = [column for column in available if _key(column) == _key(name)]
    if len(alike) == 1:
        return alike[0]
    raise ConfigurationError(f"{where}: there is no column {name!r}. {_columns(available)}")


def _columns(available: Sequence[str]) -> str:
    return f"The columns are: {', '.join(map(repr, available)) or 'none'}"


def _key(column: str) -> str:
    return column.strip().casefold()
