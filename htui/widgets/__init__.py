"""What stands on the screen. Display only: each widget is given values and says what was wanted by a message."""
