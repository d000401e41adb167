"""What the agent changed on disk, kept so that it can be taken back: contents, comparison of trees, plan and driver."""
