"""Files that a client brings along for a prompt: kept in the home by what they hold, and told to the model as text."""
