"""The way to a host: address, login, calls, streams, and the link that reconnects.

`address` and `login` say where and as whom, `http` makes single calls, `client.Client` is one connection and
`link.Link` keeps one up for as long as it runs. Import from these modules: this package loads none of them by itself,
because a command that makes one call must start in a blink.
"""
