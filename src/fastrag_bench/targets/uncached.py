"""Identities of code that cannot be read: unlike any other, so that nothing stored is ever taken for its result."""

from __future__ import annotations

import uuid

from fastrag_bench.component import Json, is_cacheable

_THIS_RUN = uuid.uuid4().hex


def keyed(identity: Json) -> Json:
    """The identity as it goes into keys; one of unreadable code agrees with itself within this process only."""
    return identity if is_cacheable(identity) else {"identity": identity, "only_in_run": _THIS_RUN}
