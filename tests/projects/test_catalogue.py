"""Which check fits which folder and file."""

import pytest

from hd.projects.catalogue import Signs, file_check, project_check


def signs(*names: str, scripts: tuple[str, ...] = (), python: str = "python3") -> Signs:
    return Signs(frozenset(names), frozenset(scripts), python)


@pytest.mark.parametrize(
    ("found", "command"),
    [
        (signs("Cargo.toml", "Makefile"), "cargo check"),
        (signs("go.mod"), "go vet ./..."),
        (signs("pom.xml"), "mvn -q compile"),
        (signs("build.gradle.kts"), "gradle -q compileJava"),
        (signs("build.gradle", "gradlew"), "./gradlew -q compileJava"),
        (signs("package.json", "tsconfig.json", scripts=("build",)), "npx --no-install tsc --noEmit"),
        (signs("package.json", scripts=("build",)), "npm run build"),
        (signs("package.json"), "npx --no-install tsc --noEmit"),
        (signs("pyproject.toml", "Makefile"), "check_python.py ."),
        (signs("lonely.py"), "check_python.py ."),
        (signs("Gemfile"), "ruby -c"),
        (signs("composer.json"), "php -l"),
        (signs("Makefile"), "make"),
        (signs("CMakeLists.txt"), "cmake --build build"),
    ],
)
def test_h19_the_sign_of_a_project_names_its_check(found: Signs, command: str) -> None:
    check = project_check(found)
    assert check is not None
    assert command in check.command


def test_h19_a_folder_without_a_sign_has_none() -> None:
    assert project_check(signs("README.md")) is None


def test_the_interpreter_of_the_project_is_used() -> None:
    check = project_check(signs("setup.py", python=".venv/bin/python"))
    assert check is not None
    assert check.command.startswith(".venv/bin/python ")


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("a b.py", "check_python.py 'a b.py'"),
        ("x.js", "node --check x.js 2>&1"),
        ("run.SH", "bash -n run.SH 2>&1"),
        ("src/a.go", "go vet ./src 2>&1"),
        ("a.ts", "npx --no-install tsc --noEmit 2>&1"),
        ("a.rs", "cargo check 2>&1"),
        ("$(touch x).php", "php -l '$(touch x).php' 2>&1"),
    ],
)
def test_one_file_is_checked_by_its_language(path: str, command: str) -> None:
    check = file_check(path, signs("Cargo.toml"))
    assert check is not None
    assert check.command.endswith(command)


def test_a_file_of_no_known_language_has_no_check() -> None:
    assert file_check("notes.md", signs()) is None
