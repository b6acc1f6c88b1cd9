"""`TestsetPacket`: a test set on its way to somewhere else."""

from __future__ import annotations

import datetime
import os
import time
import urllib.error
import urllib.request
from pathlib import Path

from pydantic import BaseModel, Field

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.files import dump_json, write_atomic
from fastrag_bench.testset.samples import TestsetSample

RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
ATTEMPTS = 4


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat()


class TestsetPacket(BaseModel):
    """The samples of a run and when they were made, in UTC."""

    __test__ = False  # pytest collects classes by this beginning of their name

    samples_original: list[TestsetSample]
    run_id: str
    created_at: str = Field(default_factory=_now)

    def to_json(self) -> str:
        """The packet as JSON, without fields that are None."""
        return dump_json(self.model_dump(exclude_none=True), indent=1) + "\n"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the JSON in one step."""
        return write_atomic(path, self.to_json())

    def upload(self, url: str, token_env: str | None = None, *, timeout_s: float = 30.0, pause_s: float = 0.5) -> str:
        """Send the JSON in one POST, again after a failure that may pass, and return the reply.

        Args:
            url: where to; http or https.
            token_env: the environment variable that holds a bearer token, if one is needed.
            timeout_s: seconds one attempt may take.
            pause_s: seconds before the second attempt; each further pause is twice as long.

        Raises:
            ConfigurationError: another kind of URL, no such variable, or the server refused or never answered.
        """
        if not url.lower().startswith(("http://", "https://")):
            raise ConfigurationError(f"{url}: a packet is sent to an http or https address")
        request = urllib.request.Request(url, self.to_json().encode("utf-8", "backslashreplace"), _headers(token_env))
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(pause_s * 2 ** (attempt - 1))
            try:
                with urllib.request.urlopen(request, timeout=timeout_s) as reply:
                    return str(reply.read().decode("utf-8", "replace"))
            except urllib.error.HTTPError as error:
                reason = f"HTTP {error.code}"
                error.close()
                if error.code not in RETRIED:
                    raise ConfigurationError(f"{url}: the server refused the packet: {reason}") from None
            except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
                reason = str(getattr(error, "reason", error))
        raise ConfigurationError(f"{url}: not sent after {ATTEMPTS} attempts: {reason}")


def _headers(token_env: str | None) -> dict[str, str]:
    headers = {"Content-Type": "application/json; charset=utf-8"}
    if token_env is None:
        return headers
    token = os.environ.get(token_env)
    if not token:
        raise ConfigurationError(f"the environment variable {token_env}, which holds the token, is not set")
    return {**headers, "Authorization": f"Bearer {token}"}
