"""Any OpenAI-compatible server as a language model."""
