"""Sweep folders read back: their runs compared, their misses diagnosed, a page to look at all of it."""
