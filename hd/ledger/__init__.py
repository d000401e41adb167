"""What a session cost: its model requests, folded from the log, priced by `pricing`."""
