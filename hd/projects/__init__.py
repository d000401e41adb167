"""What kind of project a folder holds, and which command finds the errors in it."""
