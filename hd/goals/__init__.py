"""The goal of a session: what may become of it (`changes`, pure), and who pursues it (`pursuit`)."""
