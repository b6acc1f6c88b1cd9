"""What is written of settings that hold a secret: their names, and `***` for their values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fastrag_bench.error_text import is_secret, mask_secrets

MASK = "***"


def hide(value: Any, key: str = "") -> Any:
    """Plain values with `***` in place of secrets; a reference such as `${oc.env:KEY}` is none. The same object where
    there is none.
    """
    if isinstance(value, Mapping):
        hidden = {name: hide(item, str(name)) for name, item in value.items()}
        return hidden if any(hidden[name] is not item for name, item in value.items()) else value
    if isinstance(value, (list, tuple)):
        items = [hide(item, key) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if value is None or isinstance(value, bool) or not is_secret(key):
        return hide_text(value) if isinstance(value, str) else value
    return value if isinstance(value, str) and (value.startswith("${") or value == "???") else MASK


def hide_text(text: str) -> str:
    """A text with `***` for what looks like a secret in it, such as the key of a provider."""
    hidden = mask_secrets(text)
    return text if hidden == text else hidden


def hide_override(text: str) -> str:
    """An override without the secret it sets."""
    key, separator, value = text.partition("=")
    name = key.lstrip("+~").partition("@")[0]
    if separator and is_secret(name):
        return text if value in ("", "null") or value.strip("'\"").startswith("${") else f"{key}={MASK}"
    if separator and value.lstrip("[").startswith("{"):
        return f"{key}={_IN_MAPPING.sub(lambda found: found[1] + MASK, value)}"
    return hide_text(text)


def hide_overrides(text: str) -> str:
    """A line of overrides without the secrets they set."""
    hidden = _ASSIGNED.sub(lambda found: hide_override(found[0]), text)
    return _IN_MAPPING.sub(lambda found: found[1] + MASK, hidden)


_ASSIGNED = re.compile(r"[\w.@/+~-]+=(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\S*)")
_IN_MAPPING = re.compile(
    r"(?i)((?:[\w.-]*[._-])?(?:api[_-]?key|(?:secret|access|private)[_-]?key|token|passw(?:or)?d|passphrase|secrets?"
    r"|credentials?|authorization)\s*:\s*)('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,}\]]+)"
)


def hide_in_files(folder: Path, overrides: Sequence[str]) -> None:
    """Take secrets out of the YAML files that Hydra itself wrote into a folder, where a command sets one."""
    if all(hide_override(text) == text for text in overrides):
        return
    from omegaconf import OmegaConf

    for path in [*folder.glob(".hydra/*.yaml"), *folder.glob("multirun.yaml"), *folder.parent.glob("multirun.yaml")]:
        values = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
        path.write_text(OmegaConf.to_yaml(OmegaConf.create(hide_written(values))), encoding="utf-8")


def hide_written(values: Any) -> Any:
    """What Hydra writes of a job or a sweep, without secrets: configuration, overrides and their joined name."""
    if isinstance(values, list):
        return [hide_override(text) if isinstance(text, str) else text for text in values]
    values = hide(values)
    hydra = values.get("hydra")
    if not isinstance(hydra, dict):
        return values
    lists = {name: hide_written(words) for name, words in hydra.get("overrides", {}).items()}
    changed = lists != hydra.get("overrides")
    job = {**hydra["job"], "override_dirname": MASK} if changed and "job" in hydra else hydra.get("job")
    return {**values, "hydra": {**hydra, "overrides": lists, "job": job}}
