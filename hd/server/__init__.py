"""The server: login and fences, the carriers of calls and streams, and one small module a namespace of endpoints."""
