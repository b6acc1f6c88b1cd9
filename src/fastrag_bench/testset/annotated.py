"""Reviewed test sets: a JSON list of samples, each with an `approval_status`."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastrag_bench.datasets.reading import ReadOptions, check_file, read_text
from fastrag_bench.errors import SchemaError
from fastrag_bench.files import dump_json
from fastrag_bench.testset.rows import testset_sample_of
from fastrag_bench.testset.samples import TestsetSample

APPROVED = "approved"
logger = logging.getLogger(__name__)


def annotated_items(path: Path) -> list[dict[str, Any]]:
    """The items of a reviewed file, each an object with `eval_sample` and `approval_status`; UTF-8 with or without BOM.

    Raises:
        SchemaError: it is no list of such objects; the item is named by its index.
    """
    check_file(path)
    try:
        items = json.loads(read_text(path, ReadOptions()))
    except (ValueError, RecursionError) as error:
        if isinstance(error, SchemaError):
            raise
        raise SchemaError(f"{path}: not JSON: {error}") from None
    if not isinstance(items, list):
        raise SchemaError(f"{path}: a reviewed test set is a list, not {type(items).__name__}")
    for index, item in enumerate(items):
        if not isinstance(item, dict) or not isinstance(item.get("eval_sample"), dict):
            raise SchemaError(f"{path}, item {index}: no eval_sample; each item holds a sample and an approval_status")
        if "approval_status" not in item:
            raise SchemaError(f"{path}, item {index}: no approval_status (approved, rejected or pending)")
    return items


def read_annotated(path: Path) -> list[TestsetSample]:
    """The approved samples; other spellings of approved are left out, with a warning."""
    items = annotated_items(path)
    chosen = [(index, item) for index, item in enumerate(items) if item["approval_status"] == APPROVED]
    near = [item["approval_status"] for item in items if _nearly(item["approval_status"])]
    if near:
        warnings.warn(
            f"{path}: {len(near)} samples are marked {near[0]!r}, which is not {APPROVED!r}; they were left out",
            UserWarning,
            stacklevel=3,
        )
    logger.info("%s: %d of %d samples are approved", path, len(chosen), len(items))
    return [_sample(item, f"{path}, item {index}") for index, item in chosen]


def _nearly(status: Any) -> bool:
    return isinstance(status, str) and status != APPROVED and status.strip().casefold() == APPROVED


def _sample(item: dict[str, Any], where: str) -> TestsetSample:
    others = {name: item[name] for name in ("synthesizer_name", "metadata") if name in item}
    sample = testset_sample_of({**item["eval_sample"], **others}, where)
    if not sample.eval_sample.to_dict():
        raise SchemaError(f"{where}: the sample is empty; no field of eval_sample is known")
    return sample


def annotated_text(samples: Sequence[TestsetSample], status: str) -> str:
    """The samples, each with this status."""
    items = [annotated_item(sample, status) for sample in samples]
    return dump_json(items, indent=1) + "\n"


def annotated_item(sample: TestsetSample, status: str) -> dict[str, Any]:
    """One item of a reviewed file."""
    item = {
        "eval_sample": sample.eval_sample.to_dict(),
        "synthesizer_name": sample.synthesizer_name,
        "approval_status": status,
    }
    return {**item, "metadata": sample.metadata} if sample.metadata else item
