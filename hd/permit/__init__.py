"""Who may do what: presets, the policy that decides a call by its plan, and the asks that wait for a person."""
