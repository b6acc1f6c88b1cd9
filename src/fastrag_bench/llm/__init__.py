"""One client for models behind any OpenAI-compatible server: chat, embeddings and reranking."""
