"""What the documents say is so: their code runs, their commands are accepted, what they name exists."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from .integration.command import environment

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "outputs/README.md")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
INVENTED = ("src/fastrag_bench/chunkers/paragraph.py", "conf/chunker/paragraph.yaml")
PARTS_OF_A_COMMAND = {"dataset.columns.question=Frage", "dataset=questions"}
"""Settings that make sense only beside others."""
NOT_IN_THE_TABLE = {"index", "experiment"}
"""Groups that a first-time reader does not sweep: `retriever` chooses the indexes, an experiment is a set of values."""


def code_blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def inline_code(text: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def commands() -> list[str]:
    """What follows `python -m fastrag_bench` in each line of code of the README."""
    lines = re.findall(r"^    .*", README, flags=re.MULTILINE)
    return [found[1] for line in lines for found in re.finditer(r"python -m fastrag_bench\b ?([^&|#\n]*)", line)]


def settings() -> list[str]:
    """Each piece of inline code that is nothing but settings, such as `k=5 chunker=none`."""
    found = [code for code in dict.fromkeys(inline_code(README)) if re.fullmatch(r"([\w.@]+=\S+ ?)+", code)]
    return [code for code in found if code not in PARTS_OF_A_COMMAND]


def table() -> dict[str, set[str]]:
    """The README's table of groups: each with its options."""
    section = README.partition("## What can be swept")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", section, flags=re.MULTILINE)
    return {group: set(re.findall(r"`(\w+)`", options.partition(":")[0])) for group, options in rows}


def groups() -> dict[str, set[str]]:
    folders = [path for path in (ROOT / "conf").iterdir() if path.is_dir()]
    return {folder.name: {path.stem for path in folder.glob("*.yaml")} for folder in folders}


@pytest.fixture
def own_files(tmp_path: Path) -> Path:
    """A folder with the reader's own files, as the README describes them."""
    text = "# Set-up\n\n" + "Turn the key to the left, then wait for the lamp. " * 8
    (tmp_path / "docs" / "guide").mkdir(parents=True)
    (tmp_path / "docs" / "guide" / "setup.md").write_text(text)
    (tmp_path / "questions.csv").write_text(
        "question,relevant_ids,expected_answers\n"
        'Which way?,"guide/setup.md#char=120,340",left\n'
        'What now?,"guide/setup.md#char=20,90",wait\n'
    )
    for code in code_blocks(README, "python"):
        if named := re.match(r"# (\w+\.py)\n", code):
            (tmp_path / named[1]).write_text(code)
    (tmp_path / "FOLDER" / "qrels").mkdir(parents=True)
    (tmp_path / "FOLDER" / "corpus.jsonl").write_text('{"_id": "d1", "title": "Keys", "text": "Turn left."}\n')
    (tmp_path / "FOLDER" / "queries.jsonl").write_text('{"_id": "q1", "text": "Which way?"}\n')
    (tmp_path / "FOLDER" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    return tmp_path


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fastrag_bench", *words],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_readme_has_code_and_commands() -> None:
    assert len(code_blocks(README, "python")) >= 1
    assert "-m chunker=recursive,semantic k=5,10" in commands()
    assert "dataset=beir dataset.path=FOLDER" in settings()


@pytest.mark.parametrize("code", code_blocks(README, "python"))
def test_python_code_of_the_readme_runs(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "__main__"})  # noqa: S102 - this repository's own code
    assert code.startswith("# ") or "always Paris" in capsys.readouterr().out


@pytest.mark.parametrize("command", dict.fromkeys(commands()))
def test_commands_of_the_readme_are_accepted(command: str, own_files: Path) -> None:
    done = run([*command.split(), "dry_run=true"], own_files)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", settings())
def test_settings_of_the_readme_are_accepted(words: str, own_files: Path) -> None:
    done = run(["-m", *words.split(), "++dry_run=true"], own_files)
    assert done.returncode == 0, done.stderr


def test_a_sweep_over_own_documents_as_in_the_readme(own_files: Path) -> None:
    (command,) = (command for command in commands() if "dataset=files" in command)
    done = run([*command.split(), "sweep=s"], own_files)
    assert done.returncode == 0, done.stderr
    assert len(list((own_files / "outputs" / "sweeps" / "s").glob("*/result.json"))) == 4


def test_the_table_of_the_readme_lists_every_option() -> None:
    told, there = table(), groups()
    assert {group: options for group, options in there.items() if group in told} == told
    untold = {group for group, options in there.items() if group not in told and len(options) > 1}
    assert untold <= NOT_IN_THE_TABLE


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert ((ROOT / document).parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_are_named_exist(document: str) -> None:
    code = inline_code((ROOT / document).read_text(encoding="utf-8"))
    named = [
        name for name in code if re.match(r"(src|conf|tests|docs|scripts|benchmarks|outputs)/[\w/.]+\.?\w+$", name)
    ]
    for name in named:
        assert (ROOT / name).exists() or name in INVENTED, name


def test_make_targets_that_are_named_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert set(re.findall(r"\bmake (\w+)", CONTRIBUTING)) <= targets


def test_extras_that_are_named_exist() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    named = {name for text in [README, CONTRIBUTING, *sources] for name in re.findall(r"fastrag_bench\[(\w+)\]", text)}
    raised = {name for text in sources for name in re.findall(r"\bextra=\"(\w+)\"", text)} - {"forbid"}
    assert raised
    assert named | raised <= set(PROJECT["optional-dependencies"])


def test_reading_the_code_in_the_given_order_is_short() -> None:
    order = re.findall(r"`([\w/]+)`", README.partition("## Reading the code")[2].partition(": in that order")[0])
    limit = int(re.findall(r"under ([\d,]+) lines", README)[0].replace(",", ""))
    package = ROOT / "src" / "fastrag_bench"
    files = [
        next(path for path in (package / f"{name}.py", package / name / f"{name}.py") if path.is_file())
        for name in order
    ]
    assert len(files) == 6
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) < limit
