"""What is wrong with an override, in the words of the one who typed it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf

from fastrag_bench.component import unknown_name
from fastrag_bench.errors import Problem
from fastrag_bench.sweep.compose import Composer, known_keys

OF_NO_USE = ("To append to your", "full_key:", "object_type=")
"""Lines of Hydra's messages that lead astray: a key of ours that is appended is refused all the same."""


def choice_problem(composer: Composer, text: str) -> Problem | None:
    """What is wrong with the choice of an option of a group; None where nothing is, or where it is no such choice."""
    override = composer.parse(text)
    group, chosen = override.key_or_group, override.value()
    if composer.is_value(override) or override.is_delete() or override.is_hydra_override():
        return None
    if not composer.options(group):
        named_as_group = override.package is not None or "/" in group
        return Problem(text, f"no such group{_hint(group, composer.groups())}") if named_as_group else None
    for option in chosen if isinstance(chosen, list) else [chosen]:
        if isinstance(option, dict) or (isinstance(option, str) and "${" in option):
            continue
        if not isinstance(option, str) or not _exists(composer, group, option):
            return Problem(text, f"no such {group}{_hint(str(option), composer.options(group))}")
    return None


def absent_problem(text: str, override: Override, bases: Iterable[DictConfig], groups: Sequence[str]) -> Problem:
    """What to say of a value that no combination has: the names that could have been meant."""
    key = override.key_or_group
    names: dict[str, None] = {}
    kinds: dict[str, None] = {}
    parent = ""
    for base in bases:
        parent, known = known_keys(base, key)
        names.update(dict.fromkeys(known))
        kinds[_kind(base, parent)] = None
    wrong = key.removeprefix(f"{parent}.") if parent else key
    if parent:
        of = next(iter(kinds)) if len(kinds) == 1 else parent
        return Problem(text, unknown_name(wrong, list(names), of=of))
    inside = [f"{name}.{wrong}" for base in bases for name in names if _has(base, name, wrong)]
    if inside:
        return Problem(text, f"no such setting or group; did you mean {inside[0]!r}?")
    return Problem(
        text, f"no such setting or group{_hint(wrong.partition('.')[0], [*dict.fromkeys([*names, *groups])])}"
    )


def naming_override(problem: Problem, overrides: Sequence[str], composer: Composer) -> Problem:
    """The same problem under the override that caused it, where one did."""
    matches = [text for text in overrides if _concerns(composer.parse(text), problem.path)]
    if not matches:
        return problem
    cause = max(matches, key=lambda text: len(composer.parse(text).key_or_group))
    same = composer.parse(cause).key_or_group == problem.path
    return Problem(cause, problem.message if same else f"{problem.path}: {problem.message}")


def composition_problem(problem: Problem, overrides: Sequence[str], composer: Composer) -> Problem:
    """Hydra's own message, under the override whose key it names."""
    lines = [line.strip() for line in problem.message.splitlines()]
    message = " ".join(line for line in lines if line and not line.startswith(OF_NO_USE))
    named = [text for text in overrides if f"'{composer.parse(text).get_key_element()}'" in message]
    return Problem(named[0] if named else " ".join(overrides), message)


def _exists(composer: Composer, group: str, option: str) -> bool:
    folder, _, name = f"{group}/{option.removesuffix('.yaml')}".rpartition("/")
    return name in composer.options(folder)


def _hint(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return (f"; did you mean {close[0]!r}?" if close else "") + f" (there is: {', '.join(known) or 'none'})"


def _kind(base: DictConfig, key: str) -> str:
    target = OmegaConf.select(base, f"{key}._target_", throw_on_missing=False) if key else None
    return str(target).rpartition(".")[2] if target else key


def _has(base: DictConfig, section: str, name: str) -> bool:
    node = OmegaConf.select(base, section, throw_on_resolution_failure=False)
    return isinstance(node, DictConfig) and name in node


def _concerns(override: Override, path: str) -> bool:
    """Whether an override sets what stands at a path, something inside it, or something around it."""
    keys = [override.key_or_group] if override.package is None else [override.package, override.key_or_group]
    return any(path == key or path.startswith(f"{key}.") or (path and key.startswith(f"{path}.")) for key in keys)
