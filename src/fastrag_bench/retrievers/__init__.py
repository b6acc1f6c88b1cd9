"""Retrievers: which indexes are searched, and how their rankings become one."""
