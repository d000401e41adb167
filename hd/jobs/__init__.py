"""Jobs: commands while they run and after, for whoever wants to watch or to stop one (WIRE 14, `job/*`)."""
