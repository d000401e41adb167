"""The dialect of the wire, without I/O: events, messages, projections, endpoints, envelopes and the multiplexer.

Both sides import this package and nothing here imports either side; it opens no socket, reads no file and no clock.
"""
