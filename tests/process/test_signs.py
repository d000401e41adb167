"""What servers, tools and crashing programs really print, and what it means."""

import time

import pytest

from hd.process.signs import Sign, pages, sign

FLASK = " * Running on http://127.0.0.1:5000"
VITE = "  ➜  Local:   http://localhost:5173/"


@pytest.mark.parametrize(
    "line, wanted",
    [
        (FLASK, "started"),
        (VITE, "started"),
        ("  VITE v5.2.0  ready in 312 ms", "started"),
        ("INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)", "started"),
        ("INFO:     Application startup complete.", "started"),
        ("Starting development server at http://127.0.0.1:8000/", "started"),
        ("Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...", "started"),
        ("Server listening on :3000", "started"),
        ("Listening on port 8080", "started"),
        ("  - ready started server on 0.0.0.0:3000, url: http://localhost:3000", "started"),
        ("Compiled successfully!", "started"),
        ("Traceback (most recent call last):", "failed"),
        ("ModuleNotFoundError: No module named 'flask'", "failed"),
        ('npm ERR! Missing script: "start"', "failed"),
        ("npm error Missing script", "failed"),
        ("Error: listen EADDRINUSE: address already in use :::3000", "failed"),
        ("OSError: [Errno 98] Address already in use", "failed"),
        ("error[E0425]: cannot find value `x` in this scope", "failed"),
        ("bash: flask: command not found", "failed"),
        ("sh: 1: vite: not found", "failed"),
        ("Failed to compile.", "failed"),
        ("panic: runtime error: index out of range", "failed"),
        ("Installing dependencies", None),
        ("0 errors, 0 warnings", None),
        ("running 12 tests", None),
        ("GET /error 200", None),
        ("", None),
    ],
)
def test_h8_lines_that_programs_print(line: str, wanted: Sign | None) -> None:
    assert sign(line) == wanted


@pytest.mark.parametrize(
    "line, wanted",
    [
        (FLASK, ["http://127.0.0.1:5000"]),
        (VITE, ["http://localhost:5173/"]),
        ("(http://0.0.0.0:8000/) ...", ["http://127.0.0.1:8000/"]),
        ("http://[::]:8000/ and https://[::1]:9/x?y=1.", ["http://127.0.0.1:8000/", "https://[::1]:9/x?y=1"]),
        ("http://localhost/ http://example.org:80/ http://localhost.example.org:80", []),
        ("http://localhost:123456/", []),
        ("http://localhost:80@example.org/", ["http://localhost:80"]),
    ],
)
def test_h8_addresses_of_this_machine_with_a_port(line: str, wanted: list[str]) -> None:
    assert pages(line) == wanted


@pytest.mark.parametrize("piece", ["listening ", "http://localhost:", "ready in ", "a.", "Error", ": ", "running at "])
def test_no_line_is_slow(piece: str) -> None:
    began = time.process_time()
    for _ in range(20):
        sign(piece * 100_000)
        pages(piece * 100_000)
    assert time.process_time() - began < 2
