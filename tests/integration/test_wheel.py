"""The package as it is shipped: what the wheel holds, and that it works once installed, far from the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
INFO = f"fastrag_bench-{VERSION}.dist-info"
MEGABYTE = 2**20
SWEEP = ("-m", "dataset.limit=10", "chunker=recursive,fixed", "k=5", "sweep=s")
RUNS = [f"chunker={chunker},dataset.limit=10,k=5" for chunker in ("fixed", "recursive")]
WHERE = (
    "import fastrag_bench, hydra_plugins.fastrag_bench_plugins as plugins;"
    "print(fastrag_bench.__file__, plugins.__file__, fastrag_bench.__version__, sep='\\n')"
)


def clean_environment() -> dict[str, str]:
    """This process's, without what would lead Python back to the repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def call(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=clean_environment(), capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done


def build(kind: str, source: Path, into: Path) -> Path:
    """Build without isolation, so that no network is needed."""
    call(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", into, cwd=source)
    (built,) = into.iterdir()
    return built


@dataclass(frozen=True)
class Installed:
    """A virtual environment that holds the wheel, and sees this one's libraries but not its fastrag_bench."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def command(self) -> Path:
        return self.folder / "bin" / "fastrag-bench"

    @property
    def packages(self) -> Path:
        (found,) = self.folder.glob("lib/python*/site-packages")
        return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as file:
        return set(file.namelist())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    here = Installed(tmp_path_factory.mktemp("installed") / "venv")
    call(sys.executable, "-m", "venv", "--without-pip", here.folder, cwd=ROOT)
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (here.packages / "libraries.pth").write_text("\n".join(libraries) + "\n")  # an editable install's .pth is not read
    pip = (sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--python", here.python)
    call(*pip, "install", "-q", "--no-deps", "--no-index", "--ignore-installed", wheel, cwd=here.folder)
    return here


def all_files(folder: Path) -> set[str]:
    """All files below, but for what tools leave behind."""
    files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {
        file.as_posix() for file in files if not any(part[0] == "." or part == "__pycache__" for part in file.parts)
    }


def test_the_wheel_holds_all_modules_and_data(names: set[str]) -> None:
    assert all_files(ROOT / "src") <= names
    for expected in (
        "fastrag_bench/py.typed",
        "fastrag_bench/data/static/NOTICE",
        "fastrag_bench/data/static/table.npz",
        "fastrag_bench/data/default/questions.jsonl",
        "hydra_plugins/fastrag_bench_plugins/__init__.py",
    ):
        assert expected in names


def test_the_wheel_holds_the_whole_configuration(names: set[str]) -> None:
    shipped = {name.removeprefix("fastrag_bench/conf/") for name in names if name.startswith("fastrag_bench/conf/")}
    assert shipped == all_files(ROOT / "conf")


def test_the_plugins_share_their_namespace_with_those_of_others(names: set[str]) -> None:
    assert "hydra_plugins/__init__.py" not in names


def test_the_wheel_holds_nothing_else(names: set[str]) -> None:
    tops = {name.split("/")[0] for name in names}
    assert tops == {"fastrag_bench", "hydra_plugins", INFO}
    unwanted = ("__pycache__", ".pyc", "/.", "tests/", "outputs/", "scripts/", "benchmarks/")
    assert not [name for name in names if any(part in name for part in unwanted)]


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < 12 * MEGABYTE


def test_the_wheel_is_for_any_platform_and_says_what_it_is(wheel: Path) -> None:
    assert wheel.name == f"fastrag_bench-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as file:
        metadata = Parser().parsestr(file.read(f"{INFO}/METADATA").decode())
        commands = file.read(f"{INFO}/entry_points.txt").decode()
    assert (metadata["Name"], metadata["Version"]) == ("fastrag_bench", VERSION)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata.get_all("License-File") == ["LICENSE", "src/fastrag_bench/data/static/NOTICE"]
    assert "fastrag-bench = fastrag_bench.cli:main" in commands


def test_a_wheel_from_the_source_distribution_is_the_same(names: set[str], tmp_path: Path) -> None:
    archive = build("sdist", ROOT, tmp_path / "sdist")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    with zipfile.ZipFile(build("wheel", source, tmp_path / "again")) as file:
        assert set(file.namelist()) == names


def test_the_installed_package_is_the_one_that_runs(installed: Installed, tmp_path: Path) -> None:
    package, plugins, version = call(installed.python, "-c", WHERE, cwd=tmp_path).stdout.split()
    assert Path(package) == installed.packages / "fastrag_bench" / "__init__.py"
    assert Path(plugins) == installed.packages / "hydra_plugins" / "fastrag_bench_plugins" / "__init__.py"
    assert version == VERSION


def test_the_installed_module_sweeps_from_any_folder(installed: Installed, tmp_path: Path) -> None:
    done = call(installed.python, "-m", "fastrag_bench", *SWEEP, cwd=tmp_path)
    sweep = tmp_path / "outputs" / "sweeps" / "s"
    assert sorted(path.parent.name for path in sweep.glob("*/result.json")) == RUNS
    for run in RUNS:
        assert f"| {run} " in done.stdout.replace("**", "")
    assert "Traceback" not in done.stderr


def test_the_console_script_is_the_same_command(installed: Installed, tmp_path: Path) -> None:
    assert call(installed.command, "--version", cwd=tmp_path).stdout == f"fastrag_bench {VERSION}\n"
    assert "chunker" in call(installed.command, "--help", cwd=tmp_path).stdout
    done = call(installed.command, "dataset.limit=3", "dry_run=true", cwd=tmp_path)
    assert "1 combination, " in done.stdout
