"""What all tests need of the process they run in."""

from __future__ import annotations

import signal

# A shell starts background jobs with Ctrl-C ignored, and children inherit that; the tests that interrupt would hang.
signal.signal(signal.SIGINT, signal.default_int_handler)
