"""The agent loop: inbox, turn, step and dispatch, over the pure folds that they decide by."""
