"""What the model is told besides the conversation: the system prompt, the project's instructions, the surroundings."""
