"""Commands that start servers are told by their words (the seed's list)."""

from pathlib import Path

import pytest

from hd.permit import reasons
from hd.permit.policy import Deny, decide
from hd.permit.presets import PRESETS
from hd.permit.servers import starts_server
from hd.tools.base import Access, Plan


@pytest.mark.parametrize(
    "command",
    [
        "python app.py",
        "python3 server.py --port 8000",
        ".venv/bin/python src/app.py",
        "python -u app.py",
        "flask run",
        "flask --app site run --debug",
        "python -m flask run",
        "python manage.py runserver 0.0.0.0:8000",
        "uvicorn main:app",
        "python -m uvicorn main:app",
        "gunicorn app:app",
        "python -m http.server",
        "node server.js",
        "node --inspect dist/server.js",
        "npm start",
        "npm run dev",
        "npm --prefix web run dev:web",
        "yarn dev",
        "pnpm run start",
        "next dev",
        "next start",
        "vite",
        "vite --port 3000",
        "go run .",
        "go run -race .",
        "cargo run",
        "cargo run --release",
        "webpack-dev-server",
        "npx serve",
        "npx vite",
        "npx -y next dev",
        "npx serve@14 dist",
        "pnpm dlx serve",
        "npm exec vite",
        "npm start && npm test",
        "npm ci && npm start",
        "cd web; npm run dev",
        "PORT=3000 npm start",
        "env PORT=3000 node server.js",
        "nohup python app.py > log 2>&1 &",
        "uv run uvicorn main:app",
        "poetry run flask run",
        "bash -c 'cd web && npm start'",
        "eval 'flask run'",
        "(flask run &) ; sleep 1",
        "if true; then npm start; fi",
        "echo $(flask run)",
        "f\\lask 'ru'n",
        "/usr/bin/env python app.py",
        "php -S localhost:8000",
    ],
)
def test_h7_a_server_is_known_however_it_is_called(command: str) -> None:
    assert starts_server(command)


@pytest.mark.parametrize(
    "command",
    [
        "echo flask run",
        "grep -rn 'npm start' .",
        "git commit -m 'npm start && flask run'",
        "cat app.py",
        "python -m py_compile app.py",
        "python test_app.py",
        "python -m pytest tests/test_server.py",
        "python manage.py migrate",
        "python -c 'import app'",
        "flask routes",
        "flask run --help",
        "uvicorn --version",
        "pip install uvicorn gunicorn",
        "which vite",
        "node build.js",
        "node --test",
        "npm test",
        "npm run build",
        "npm run lint && npm run test",
        "npm install vite",
        "yarn build",
        "yarn add serve",
        "next build",
        "vite build",
        "npx tsc --noEmit",
        "npx eslint .",
        "npx vite build",
        "go build ./...",
        "go run ./tools/gen",
        "cargo build",
        "cargo test",
        "webpack --mode production",
        "timeout 5 python app.py",
        "cat <<EOF\nnpm start\nEOF",
        "# npm start",
        "ls 'unclosed",
        "",
    ],
)
def test_h7_what_only_names_a_server_may_run(command: str) -> None:
    assert not starts_server(command)


@pytest.mark.parametrize("preset", PRESETS)
def test_h7_no_preset_lets_run_command_wait_for_a_server(preset: str) -> None:
    plan = Plan(Access.EXECUTE, "run", detail="npm start && npm test")
    assert decide(preset, plan, Path("/work")) == Deny(reasons.SERVER)  # type: ignore[arg-type]
