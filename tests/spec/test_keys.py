"""What a key has to say. Each test is a way in which a stored result could have been taken for another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest

from fastrag_bench.component import Component, NotIdentity, identity_of, is_cacheable, part, resolve
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.plan.keys import canonical, digest
from fastrag_bench.targets.sources import corpus_source
from fastrag_bench.types import Corpus, Document

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "keys.json"


class Small(Component):
    size: int = 4
    name: str = "a"
    batch_size: Annotated[int, NotIdentity] = 32


class OtherDefault(Component):
    size: int = 5


class Outer(Component):
    inner: Annotated[Any, part(object)]


class WithLibrary(Component):
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)


class WithFile(Component):
    def fingerprint(self) -> str:
        return "sha256 of weights"


HERE = f"{__name__}."


def key(component: Component) -> str:
    return digest(identity_of(component))


def test_keys_do_not_depend_on_the_order_of_settings() -> None:
    one = resolve({"_target_": HERE + "Small", "size": 9, "name": "b"})
    two = resolve({"name": "b", "size": 9, "_target_": HERE + "Small"})
    assert key(one) == key(two)


def test_a_number_and_its_text_have_one_key() -> None:
    assert key(Small(size=4)) == key(resolve({"_target_": HERE + "Small", "size": "4"}))


def test_a_default_is_part_of_the_key() -> None:
    assert identity_of(Small())["fields"] == {"size": 4, "name": "a"}
    assert identity_of(OtherDefault())["fields"] == {"size": 5}


def test_a_changed_default_changes_the_key() -> None:
    assert key(_made("class Part(Component):\n    size: int = 4")) != key(
        _made("class Part(Component):\n    size: int = 5")
    )


def test_nested_components_that_share_a_base_class_differ() -> None:
    assert key(Outer(inner=Small(size=5))) != key(Outer(inner=OtherDefault(size=5)))


def test_a_setting_that_cannot_change_a_result_stays_out() -> None:
    assert key(Small(batch_size=1)) == key(Small(batch_size=64))


def test_version_library_and_file_take_part() -> None:
    assert identity_of(Small())["version"] == 1
    assert list(identity_of(WithLibrary())["libraries"]) == ["numpy"]
    assert identity_of(WithFile())["fingerprint"] == "sha256 of weights"


def test_a_document_with_the_same_id_and_new_text_differs() -> None:
    one, two = Corpus([Document("old", id="a")]), Corpus([Document("new", id="a")])
    assert corpus_source(one).key != corpus_source(two).key


def test_the_order_of_documents_does_not_matter() -> None:
    documents = [Document("x", id="b"), Document("y", id="a")]
    assert corpus_source(Corpus(documents)).key == corpus_source(Corpus(documents[::-1])).key


def test_canonical_json_has_no_nan() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(float("nan"))


USER_PART = """
from fastrag_bench.component import Component
import mine_helper

class Part(Component):
    def chunk(self, document):
        return mine_helper.cut(document)
"""


def identity_in_a_new_process(folder: Path, helper: str, *, hash_seed: str = "0") -> dict[str, Any]:
    (folder / "mine.py").write_text(USER_PART, encoding="utf-8")
    (folder / "mine_helper.py").write_text(helper, encoding="utf-8")
    program = "import json, mine, fastrag_bench.component as c; print(json.dumps(c.identity_of(mine.Part())))"
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path]), "PYTHONHASHSEED": hash_seed}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_edited_user_code_differs_also_in_a_module_it_imports(tmp_path: Path) -> None:
    one = identity_in_a_new_process(tmp_path, "def cut(document): return []\n")
    two = identity_in_a_new_process(tmp_path, "def cut(document): return [document]\n")
    assert one["source"] is not None
    assert one != two


def test_keys_are_equal_across_processes(tmp_path: Path) -> None:
    helper = "def cut(document): return []\n"
    one = identity_in_a_new_process(tmp_path, helper, hash_seed="1")
    assert one == identity_in_a_new_process(tmp_path, helper, hash_seed="2")


def test_code_that_cannot_be_read_is_not_cached() -> None:
    unreadable = _made("class Part(Component):\n    size: int = 4")
    assert not is_cacheable(identity_of(Outer(inner=unreadable)))
    assert is_cacheable(identity_of(Outer(inner=Small())))


def test_only_components_are_built() -> None:
    with pytest.raises(ConfigurationError, match="not a Component"):
        resolve({"_target_": "os.system", "command": "true"}, path="chunker")


def test_a_misspelt_setting_gets_the_likeliest_name() -> None:
    with pytest.raises(ConfigurationError, match=r"chunker\.siz: .*did you mean 'size'"):
        resolve({"_target_": HERE + "Small", "siz": 3}, path="chunker")


def test_golden_keys() -> None:
    """Keys of shipped parts stay what they are, or every store out there is worthless; see CONTRIBUTING, "Keys"."""
    from fastrag_bench.chunkers.fixed import FixedChunker
    from fastrag_bench.retrievers.hybrid import HybridRetriever

    found = {
        "canonical": canonical({"b": [1, 2.5, None, True], "a": "ä"}).decode(),
        "digest": digest({"b": [1, 2.5, None, True], "a": "ä"}),
        "corpus": corpus_source(Corpus([Document("text", {"title": "T"}, id="a", uri="u")])).key,
        "hybrid retriever": key(HybridRetriever()),
        "fixed chunker": key(FixedChunker()),
    }
    assert found == json.loads(GOLDEN.read_text(encoding="utf-8"))


def _made(code: str) -> Component:
    """A component whose source nobody can read, as if typed into an interpreter."""
    namespace: dict[str, Any] = {"Component": Component, "__name__": "typed_in"}
    exec(textwrap.dedent(code), namespace)  # noqa: S102 - the point is code without a file
    made: Component = namespace["Part"]()
    return made
