"""Tokenizers: text to token ids, and token counts for chunk sizes and costs."""
