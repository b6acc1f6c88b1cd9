"""How a question is worded: its length, its style, and who asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any

from pydantic import BaseModel, ConfigDict


class QueryLength(str, Enum):  # noqa: UP042 - given so; str() of a StrEnum differs
    """SHORT is up to 8 words, MEDIUM 9 to 20, LONG more. Samples hold the member's name."""

    LONG = "long"
    MEDIUM = "medium"
    SHORT = "short"

    @classmethod
    def _missing_(cls, value: object) -> QueryLength | None:
        return _by_name(cls, value)  # type: ignore[no-any-return]

    @classmethod
    def of(cls, question: str) -> QueryLength:
        """The length that a question has."""
        words = len(question.split())
        return cls.SHORT if words <= 8 else cls.MEDIUM if words <= 20 else cls.LONG


class QueryStyle(str, Enum):  # noqa: UP042 - as above
    """The values are phrases for a model's prompt. Samples hold the member's name."""

    MISSPELLED = "Misspelled queries"
    PERFECT_GRAMMAR = "Perfect grammar"
    POOR_GRAMMAR = "Poor grammar"
    WEB_SEARCH_LIKE = "Web search like queries"

    @classmethod
    def _missing_(cls, value: object) -> QueryStyle | None:
        return _by_name(cls, value)  # type: ignore[no-any-return]


def _by_name(kind: Any, value: object) -> Any:
    wanted = str(value).strip().casefold()
    return next((one for one in kind if wanted in (one.name.casefold(), one.value.casefold())), None)


class Persona(BaseModel):
    """Somebody who asks."""

    model_config = ConfigDict(frozen=True)

    name: str
    role_description: str


class PersonaList(BaseModel):
    """Personas by name."""

    personas: list[Persona]

    def __getitem__(self, name: str) -> Persona:
        """The persona of this name, whatever its case and blank space; raises KeyError where there is none."""
        found = self.find(name)
        if found is None:
            raise KeyError(f"there is no persona {name!r}")
        return found

    def find(self, name: str) -> Persona | None:
        """The persona of this name, whatever its case and blank space, or None."""
        wanted = _plain(name)
        return next((persona for persona in self.personas if _plain(persona.name) == wanted), None)

    def chosen(self, names: Sequence[str]) -> tuple[list[Persona], int]:
        """The personas of these names, and how many of the names are nobody's."""
        found = [self.find(name) for name in names]
        return [persona for persona in found if persona is not None], sum(persona is None for persona in found)

    def __len__(self) -> int:
        return len(self.personas)

    def each(self) -> Iterator[Persona]:
        """The personas in order."""
        return iter(self.personas)


def _plain(name: str) -> str:
    return "".join(name.split()).casefold()


DEFAULT_PERSONAS = (
    Persona(name="Newcomer", role_description="Meets the subject for the first time and asks what things are."),
    Persona(name="Practitioner", role_description="Works with the subject and wants to know how something is done."),
    Persona(name="Reviewer", role_description="Checks facts and figures and wants to know where they are stated."),
)
