"""Model providers: DeepSeek's chat completions, and an offline demo behind the same interface."""
