"""A component is its configuration: a frozen model whose fields are YAML schema, identity and constructor in one."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.metadata
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from fastrag_bench.error_text import is_credential, is_secret
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.source import source_digest

T = TypeVar("T")
R = TypeVar("R")
Json = Any
"""None, bool, int, float, str, or lists and string-keyed dicts of these."""


class NotIdentity:
    """Marks a field that cannot change a result (`Annotated[int, NotIdentity]`): it stays out of every key."""


class Component(BaseModel):
    """A part of a pipeline: frozen, and refusing every field it does not know.

    A component never holds a loaded model or any other state; it says what to do, functions and caches outside do it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, protected_namespaces=())

    version: ClassVar[int] = 1
    """Raise it whenever the component's results change for the same settings."""

    libraries: ClassVar[tuple[str, ...]] = ()
    """Distributions whose behaviour is part of the result, such as a stemmer; their versions enter the identity."""

    def fingerprint(self) -> Json:
        """What else decides the result, such as the hash of a weights file; None where the settings say it all."""
        return None

    def inspect_settings(self) -> None:
        """Raise ConfigurationError for what only a look at the machine can tell (a missing extra, a missing folder)."""


def identity_of(component: Component) -> Json:
    """All of a component that can change a result: class, version, fields with defaults, code, libraries.

    Nested components are described by their own class, so two that share a base class and differ in kind never agree.
    None stands in the place of a source that cannot be read; see `is_cacheable`.
    """
    kind = type(component)
    record: dict[str, Json] = {
        "class": f"{kind.__module__}.{kind.__qualname__}",
        "version": kind.version,
        "fields": {name: _told(name, getattr(component, name)) for name in identity_fields(kind)},
    }
    if kind.libraries:
        record["libraries"] = {name: library_version(name) for name in kind.libraries}
    if not is_ours(kind):
        record["source"] = source_digest(kind)
    fingerprint = component.fingerprint()
    if fingerprint is not None:
        record["fingerprint"] = fingerprint
    return record


def once_per_object(function: Callable[[T], R], *, maxsize: int = 1024) -> Callable[[T], R]:
    """Remember a function's result for each object, by identity and not by equality; the object is kept alive."""
    known: OrderedDict[int, tuple[T, R]] = OrderedDict()

    def remembered(thing: T) -> R:
        held = known.get(id(thing))
        if held is None:
            held = known[id(thing)] = (thing, function(thing))
            while len(known) > maxsize:
                known.popitem(last=False)
        return held[1]

    return remembered


cached_identity = once_per_object(identity_of)
"""`identity_of`, computed once for each component object: weights files are hashed once."""


def is_cacheable(identity: Json) -> bool:
    """False when some component's code could not be read, so that a stored result cannot be told from a stale one."""
    if isinstance(identity, dict):
        return not ("source" in identity and identity["source"] is None) and all(map(is_cacheable, identity.values()))
    return all(map(is_cacheable, identity)) if isinstance(identity, list) else True


def identity_fields(kind: type[Component]) -> list[str]:
    """The names of the fields that take part in the identity; those that hold a secret never do."""
    fields = kind.model_fields.items()
    return [name for name, field in fields if NotIdentity not in field.metadata and not is_credential(name)]


def is_ours(kind: type) -> bool:
    """Whether a class belongs to this package, whose code is keyed by `version`."""
    return kind.__module__.split(".")[0] == "fastrag_bench"


@lru_cache
def library_version(name: str) -> str | None:
    """The installed version of a distribution, or None."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _told(name: str, value: Any) -> Json:
    """A value by its name: of what may be a secret, only a digest."""
    if is_secret(name) and isinstance(value, str):
        return hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return _plain(value)


def _plain(value: Any) -> Json:
    if isinstance(value, Component):
        return identity_of(value)
    if isinstance(value, BaseModel):
        kind = type(value)
        fields = {name: field for name, field in kind.model_fields.items() if NotIdentity not in field.metadata}
        return {
            "model": f"{kind.__module__}.{kind.__qualname__}",
            **{name: _plain(getattr(value, name)) for name in fields},
        }
    if isinstance(value, Mapping):
        return {str(key): _told(str(key), item) for key, item in value.items() if not is_credential(str(key))}
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item) for item in value), key=repr)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def resolve(node: Any, *, contract: type | None = None, path: str = "") -> Component:
    """Build the component a config node describes.

    Args:
        node: a mapping with `_target_`, the import path of a `Component` class, and its settings; nested nodes alike.
        contract: the Protocol the component has to meet.
        path: where the node stands in the config, for messages.

    Raises:
        ConfigurationError: with one problem for each setting that is wrong.
    """
    if isinstance(node, Component):
        return _checked(node, contract, path)
    if not isinstance(node, Mapping) or "_target_" not in node:
        raise _problem(path, f"expected a mapping with _target_, got {node!r}")
    kind = component_class(node["_target_"], path=path)
    settings = {str(key): value for key, value in node.items() if key != "_target_"}
    try:
        return _checked(kind.model_validate(settings), contract, path)
    except ValidationError as error:
        raise ConfigurationError(problems=problems_of(error, kind, path)) from None


@lru_cache(maxsize=512)
def _import_target(target: str) -> Any:
    module, _, name = target.rpartition(".")
    if not module:
        raise ImportError("not of the form package.module.Class")
    return getattr(importlib.import_module(module), name)


def component_class(target: Any, *, path: str = "") -> type[Component]:
    """Import `_target_`; whatever is not a `Component` class is refused, so a config file cannot run other code."""
    try:
        kind = _import_target(str(target))
    except (ImportError, AttributeError, ValueError) as error:
        raise _problem(path, f"cannot import _target_ {target!r}: {error}") from None
    if not (isinstance(kind, type) and issubclass(kind, Component)):
        raise _problem(path, f"_target_ {target!r} is not a Component; a part is a class derived from it")
    return kind


def problems_of(error: ValidationError, kind: type[BaseModel], path: str) -> list[Problem]:
    """A validation error as problems in the user's words, each at its dotted path."""
    problems: list[Problem] = []
    for item in error.errors(include_url=False):
        where = ".".join([*([path] if path else []), *(str(part) for part in item["loc"])])
        cause = item.get("ctx", {}).get("error")
        if isinstance(cause, ConfigurationError):
            problems.extend(Problem(_join(where, inner.path), inner.message) for inner in cause.problems)
        elif item["type"] == "extra_forbidden":
            known = list(kind.model_fields)
            problems.append(Problem(where, unknown_name(str(item["loc"][-1]), known, of=kind.__name__)))
        elif item["type"] == "missing":
            problems.append(Problem(where, "a value is required"))
        else:
            message = item["msg"].removeprefix("Value error, ")
            message = message[0].lower() + message[1:] if message.startswith("Input") else message
            problems.append(Problem(where, f"{message} (got {item['input']!r})" if item["loc"] else message))
    return problems


def unknown_name(name: str, known: list[str], *, of: str) -> str:
    """The message for a name that does not exist, with the likeliest one that does."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"no such setting of {of}{hint} (there is: {', '.join(known) or 'none'})"


def _join(path: str, inner: str) -> str:
    return f"{path}.{inner}" if path and inner else path or inner


def _checked(component: Component, contract: type | None, path: str) -> Component:
    if contract is not None and not isinstance(component, contract):
        missing = [name for name in dir(contract) if not name.startswith("_") and not hasattr(component, name)]
        message = f"{type(component).__name__} is not a {contract.__name__}: it has no {', '.join(missing)}"
        raise _problem(path, message)
    return component


def _problem(path: str, message: str) -> ConfigurationError:
    return ConfigurationError(problems=[Problem(path, message)])


def part(contract: type) -> BeforeValidator:
    """For `Annotated`: the field holds another component, which has to meet this contract."""
    return BeforeValidator(lambda node: resolve(node, contract=contract))
