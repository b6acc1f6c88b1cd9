"""What a sweep runs of all combinations of its values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from fastrag_bench.component import problems_of
from fastrag_bench.errors import ConfigurationError, Problem


class SweepShape(BaseModel):
    """Settings of a sweep as a whole: they stay out of run names and change no result."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pairs: tuple[tuple[str, ...], ...] = ()
    """Lists of swept settings that change together, in place of all combinations of their values."""
    combinations: str | None = None
    """A YAML, JSON or CSV file with one combination an entry, each crossed with what is swept beside it."""
    exclude: tuple[dict[str, Any], ...] = ()
    """Combinations to leave out: those that have all values of one of these mappings."""
    sample: Annotated[int, Field(strict=True, ge=1)] | None = None
    """Run so many of the combinations, drawn by `seed`, each value about equally often."""

    @field_validator("pairs", mode="before")
    @classmethod
    def _one_list_is_one_pair(cls, value: Any) -> Any:
        given = [] if value is None else value
        if not isinstance(given, (list, tuple)):
            raise ValueError("has to be a list of settings that are swept, such as [chunker.size,chunker.overlap]")
        lists = [given] if isinstance(given, (list, tuple)) and given and isinstance(given[0], str) else given
        if any(isinstance(names, (list, tuple)) and len(names) < 2 for names in lists):
            raise ValueError("name two or more settings that are swept, such as pairs=[chunker.size,chunker.overlap]")
        return lists

    @field_validator("exclude", mode="before")
    @classmethod
    def _one_mapping_is_one_condition(cls, value: Any) -> Any:
        given = [] if value is None else [value] if isinstance(value, Mapping) else value
        if any(condition == {} for condition in given):
            raise ValueError("an empty condition would leave out everything")
        return given

    @property
    def given(self) -> list[str]:
        """The names of the settings that ask for something."""
        return [name for name in SweepShape.model_fields if getattr(self, name) not in ((), None)]


def shape_of(values: Mapping[str, Any]) -> SweepShape:
    """The shape among the settings of a command; raises ConfigurationError."""
    try:
        return SweepShape.model_validate({name: values[name] for name in SweepShape.model_fields if name in values})
    except ValidationError as error:
        raise ConfigurationError(problems=problems_of(error, SweepShape, "")) from None


def refuse_shape(shape: SweepShape, *, hint: str) -> None:
    """Raise ConfigurationError where a shape is asked of something that cannot give it."""
    if shape.given:
        raise ConfigurationError(problems=[Problem(name, hint) for name in shape.given])


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The entries of a file of combinations: settings and their values.

    A CSV file has settings in its first line; an empty cell leaves a setting as it is. A YAML or JSON file is a list of
    mappings.

    Raises:
        ConfigurationError: the file is not there, has another form, or has no entry.
    """
    try:
        rows = _read_csv(path) if path.suffix.lower() == ".csv" else _read_yaml(path)
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(path, f"cannot be read ({error})") from None
    if not rows:
        raise _wrong(path, "has no combination")
    return rows


def _read_csv(path: Path) -> list[dict[str, Any]]:
    import csv

    with open(path, newline="", encoding="utf-8-sig") as file:
        lines = [[cell.strip() for cell in line] for line in csv.reader(file) if any(cell.strip() for cell in line)]
    head = lines[0] if lines else []
    if "" in head or len(set(head)) < len(head):
        raise _wrong(path, "the first line has to name each setting once, such as chunker,chunker.size,k")
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(head):
            raise _wrong(path, f"entry {number - 1} has {len(line)} values for {len(head)} settings")
    return [{key: cell for key, cell in zip(head, line, strict=True) if cell} for line in lines[1:]]


def _read_yaml(path: Path) -> list[dict[str, Any]]:
    import yaml  # type: ignore[import-untyped]

    try:
        rows = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except yaml.YAMLError as error:
        raise _wrong(path, f"is no YAML ({' '.join(str(error).split())})") from None
    if not isinstance(rows or [], list):
        raise _wrong(path, "has to be a list of mappings, such as - {chunker: semantic, k: 5}")
    for number, row in enumerate(rows or [], start=1):
        if not isinstance(row, dict) or not all(isinstance(key, str) for key in row):
            raise _wrong(path, f"entry {number} is no mapping of settings to values: {row!r}")
    return rows or []


def _wrong(path: Path, message: str) -> ConfigurationError:
    return ConfigurationError(problems=[Problem(f"combinations={path}", message)])
