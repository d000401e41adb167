"""What a rule covers, and above all what it does not."""

from pathlib import Path

import pytest

from hd.files.layer import FileLayer
from hd.permit.policy import rules_count
from hd.permit.rules import RuleRefused, make
from tests.files.trees import plant
from tests.permit.rule_scene import Ruled, program


@pytest.fixture
def here(tmp_path: Path) -> Ruled:
    root = plant(tmp_path / "work", {"a.txt": "a\n", "build/x": "x\n", "sub/build/x": "x\n"})
    return Ruled(FileLayer(root), tmp_path / "bin")


def test_a_rule_covers_its_words_however_they_are_quoted(here: Ruled) -> None:
    rules = [here.rule("rm -rf build")]
    for line in ("rm -rf build", "rm  -rf 'build'", 'rm "-rf" build', "rm -rf \\\nbuild", "rm -rf build # gone"):
        assert here.covers(rules, line) == [1]


def test_a_line_is_covered_where_each_of_its_commands_is_or_only_reads(here: Ruled) -> None:
    rules = [here.rule("rm -rf build"), here.rule("rm a.txt", number=2)]
    assert here.covers(rules, "rm -rf build && rm a.txt; ls | head -n 3") == [1, 2]
    assert here.covers(rules, f"cd {here.folder} && rm -rf build 2>&1 >/dev/null | head") == [1]
    assert here.covers(rules, "ls && cat a.txt") == []


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf build x",
        "rm -rf",
        "rm -rf build; touch x",
        "touch x; rm -rf build",
        "rm -rf build | tee x",
        "echo build | rm -rf build",
        "ls |\nrm -rf build",
        "rm -rf build &",
        "(rm -rf build)",
        "{ rm -rf build; }",
        "! rm -rf build",
        "time rm -rf build",
        "if true; then rm -rf build; fi",
        "rm -rf build > log",
        "rm -rf build >> log",
        "rm -rf build < a.txt",
        "rm -rf build <<< x",
        "rm -rf $(echo build)",
        "rm -rf `echo build`",
        "rm -rf $BUILD",
        "rm -rf buil?",
        "rm -rf {build,x}",
        "rm -rf ~/build",
        "PATH=. rm -rf build",
        "X=1; rm -rf build",
        "export PATH=.; rm -rf build",
        "alias rm=x; rm -rf build",
        "rm() { x; }; rm -rf build",
        "function rm { x; }; rm -rf build",
        "cd sub && rm -rf build",
        "cd sub; cd ..; rm -rf build",
        "cd && rm -rf build",
        "env rm -rf build",
        "timeout 5 rm -rf build",
        "sh -c 'rm -rf build'",
        "xargs rm -rf build",
        "command rm -rf build",
        "exec rm -rf build",
        "eval rm -rf build",
        "/bin/rm -rf build",
        "sudo rm -rf build",
        "nohup rm -rf build",
        "rm -rf build\x0btouch x",
        "rm -rf 'build",
        "trap 'touch x' EXIT; rm -rf build",
        "hash -p ./x rm; rm -rf build",
        "[[ -e build ]] && rm -rf build",
        "rm -rf build $?",
        "rm -rf build ''",
    ],
)
def test_a_rule_covers_nothing_that_it_does_not_name(here: Ruled, line: str) -> None:
    assert here.covers([here.rule("rm -rf build")], line) == []


def test_further_arguments_are_covered_where_they_were_typed_and_for_the_same_reason(here: Ruled) -> None:
    rules = [here.rule("rm ...")]
    assert rules[0].text == "`rm` with any further arguments"
    assert here.covers(rules, "rm a.txt build/x") == [1]
    for line in ("rm ../beyond", "rm -rf .", "rm -rf .git", "rm $X", "rmdir build", "rm a.txt > log"):
        assert here.covers(rules, line) == []
    assert here.covers([here.rule("git push --force ...")], "git push --force origin main") == [1]
    assert here.covers([here.rule("git push --force ...")], "git push --mirror") == []


def test_a_rule_from_a_card_never_covers_more_than_the_words_on_it(here: Ruled) -> None:
    rule = make("rm ...", here.scene(), typed=False)
    assert (rule.argv, rule.more) == (("rm", "..."), False)


@pytest.mark.parametrize(
    ("command", "because"),
    [
        ("rm a.txt; rm build/x", "for each command"),
        ("rm a.txt > log", "one plain command"),
        ("rm *.txt", "one plain command"),
        ("rm $X", "one plain command"),
        ("cd sub", "one plain command"),
        ("eval rm a.txt", "one plain command"),
        ("X=1 rm a.txt", "one plain command"),
        ("", "one plain command"),
        ("rm 'a", "one plain command"),
        ("touch x", "none is needed"),
        ("npm start", "run_in_terminal"),
        ("sudo ...", "any other command"),
        ("sudo rm ...", "any other command"),
        ("xargs rm ...", "any other command"),
        ("find . -delete ...", "any other command"),
        ("sh -c 'rm a.txt' ...", "any other command"),
        ("mkfs.nothing /dev/sda", "is found"),
    ],
)
def test_no_rule_is_made_where_it_could_mean_more_or_would_mean_nothing(
    here: Ruled, command: str, because: str
) -> None:
    with pytest.raises(RuleRefused, match=because):
        here.rule(command)


def test_a_program_of_the_workspace_is_bound_to_what_is_in_it(here: Ruled) -> None:
    script = program(here.folder / "deploy.sh", "rm -rf build")
    rules = [here.rule("./deploy.sh", "terminal"), here.rule("bash deploy.sh", "terminal", number=2)]
    assert here.covers(rules, "./deploy.sh", "terminal") == [1]
    assert here.covers(rules, "bash deploy.sh", "terminal") == [2]
    program(script, "rm -rf /")
    assert here.covers(rules, "./deploy.sh", "terminal") == []
    assert here.covers(rules, "bash deploy.sh", "terminal") == []


def test_another_program_of_the_same_name_is_not_the_one_that_was_allowed(here: Ruled) -> None:
    program(here.programs / "deploy")
    rule = here.rule("deploy now", "terminal")
    assert here.covers([rule], "deploy now", "terminal") == [1]
    here.path = f"{here.folder}/bin:{here.path}"
    assert here.covers([rule], "deploy now", "terminal") == [1]
    shadow = program(here.folder / "bin" / "deploy")
    assert here.covers([rule], "deploy now", "terminal") == []
    shadow.unlink()
    shadow.symlink_to(program(here.folder / "evil"))
    assert here.covers([rule], "deploy now", "terminal") == []


def test_a_link_in_the_workspace_is_bound_to_what_it_leads_to(here: Ruled) -> None:
    real = program(here.programs / "tool")
    link = here.folder / "tool"
    link.symlink_to(real)
    rule = here.rule("./tool x", "terminal")
    assert here.covers([rule], "./tool x", "terminal") == [1]
    program(real, "exit 1")
    assert here.covers([rule], "./tool x", "terminal") == []


def test_a_rule_counts_for_its_use_alone(here: Ruled) -> None:
    rules = [here.rule("rm a.txt"), here.rule("rm a.txt", "terminal", number=2)]
    rules.append(here.rule("rm a.txt", "outside", number=3))
    assert [here.covers(rules, "rm a.txt", use) for use in ("command", "terminal", "outside")] == [[1], [2], [3]]


def test_what_is_shown_hides_nothing(here: Ruled) -> None:
    assert here.rule("rm 'a b' \u3164x").text == r"`rm 'a b' '\u3164x'`"


def test_rules_count_in_no_session_that_wants_to_be_asked() -> None:
    counting = [
        (preset, planning)
        for preset in ("read-only", "workspace-write", "danger-full-access")
        for planning in (False, True)
        if rules_count(preset, planning=planning)  # type: ignore[arg-type]
    ]
    assert counting == [("workspace-write", False)]
