"""What is kept on disk. The only place of the project that speaks SQL."""
