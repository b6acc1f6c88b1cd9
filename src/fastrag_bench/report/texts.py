"""The documents behind a sweep, loaded again through the dataset its runs name."""

from __future__ import annotations

from collections.abc import Sequence

from fastrag_bench.errors import FastragError
from fastrag_bench.sweep.manifest import Manifest

MOST_DOCUMENTS = 100_000


def document_texts(manifests: Sequence[Manifest]) -> dict[str, str]:
    """The texts by document id of the first dataset; empty where it cannot be loaded any more or has changed since."""
    from fastrag_bench.component import resolve
    from fastrag_bench.sweep.runs import dataset_fingerprint, load_data

    for manifest in manifests:
        settings = manifest.config.get("dataset")
        if manifest.status != "ok" or not isinstance(settings, dict) or not _ours(settings):
            continue
        try:
            data = load_data(resolve(settings))  # type: ignore[arg-type]
            same = dataset_fingerprint(data) == manifest.dataset.get("fingerprint")
        except (FastragError, OSError):
            return {}
        corpus = data.corpus
        if corpus is None or not same or len(corpus) > MOST_DOCUMENTS:
            return {}
        return {document.id or "": document.text for document in corpus}
    return {}


def _ours(settings: dict[str, object]) -> bool:
    """A folder may be somebody else's: no code but this package's is imported for it."""
    return str(settings.get("_target_", "")).startswith("fastrag_bench.datasets.")
