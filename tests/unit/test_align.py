"""Quotes become spans, spans become chunk ids, and evidence for other documents is refused."""

import pytest

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.relevance import align, freeze, refuse_stale, text_hash
from fastrag_bench.relevance.locate import Locator
from fastrag_bench.types import Chunk, Corpus, Document, EvalSample

TIDES = Document(
    "Tides rise twice a day.\n\nThe moon pulls the sea\ntowards it, and the sun helps a little.", id="tides"
)
MOON = Document("The moon is far. Tides rise twice a day.", id="moon")
CORPUS = Corpus([TIDES, MOON, Document("", id="blank")])
SENTENCE = "The moon pulls the sea towards it, and the sun helps a little."


def asking(*quotes, **metadata):
    return EvalSample("Why?", metadata={"reference_contexts": list(quotes), **metadata})


def test_a_quote_is_found_letter_by_letter():
    (sample,) = align([asking("The moon is far.")], CORPUS).samples
    assert sample.relevant_ids == ["moon#char=0,16"]


def test_a_quote_in_several_places_is_a_group_of_alternatives():
    (sample,) = align([asking("Tides rise twice a day.")], CORPUS).samples
    assert sample.relevant_ids == ["moon#char=17,40", "tides#char=0,23"]
    assert sample.metadata["relevance_groups"] == [["moon#char=17,40", "tides#char=0,23"]]


def test_blank_space_does_not_matter():
    found = align([asking("  The  moon pulls\tthe sea towards it ")], CORPUS)
    assert (found.exact, found.whitespace, found.near) == (0, 1, 0)
    assert found.samples[0].relevant_ids == ["tides#char=25,58"]
    assert TIDES.text[25:58] == "The moon pulls the sea\ntowards it"


def test_one_word_in_ten_may_differ():
    words = [f"word{number}" for number in range(40)]
    corpus = Corpus([Document(" ".join(["before", *words, "behind"]), id="d")])
    near = " ".join([*words[:10], "other", *words[11:]])
    far = " ".join(words[:20] + ["other"] * 20)
    found = align([asking(near), asking(far)], corpus)
    assert (found.near, found.unlocated, found.left_out) == (1, (far,), 1)
    assert found.samples[0].relevant_ids == [f"d#char=7,{7 + len(' '.join(words))}"]


def test_what_is_not_found_is_counted_and_never_gold():
    found = align([asking("Nowhere to be seen at all.", "The moon is far."), asking("Nor is this one here.")], CORPUS)
    assert [sample.relevant_ids for sample in found.samples] == [["moon#char=0,16"], []]
    assert [sample.metadata["unlocated"] for sample in found.samples] == [1, 1]
    assert found.notes == (
        "2 of 3 quoted texts are not in the documents and count neither as found nor as missed (1 questions have no "
        "other), e.g. 'Nowhere to be seen at all.'",
    )


def test_hop_markers_are_no_part_of_a_quote():
    assert align([asking("<1-hop>\n\nThe moon is far.")], CORPUS).samples[0].relevant_ids == ["moon#char=0,16"]


def test_questions_with_gold_ids_or_without_quotes_stay():
    samples = [EvalSample("a", relevant_ids=["x"], metadata={"contexts": ["The moon is far."]}), EvalSample("b")]
    assert align(samples, CORPUS).samples == samples


def test_quotes_are_texts():
    with pytest.raises(ConfigurationError, match="no list of texts"):
        align([asking(3)], CORPUS)
    assert align([EvalSample("a", metadata={"page": "The moon is far."})], CORPUS, quotes="page").exact == 1


def test_a_quote_never_spans_two_documents():
    corpus = Corpus([Document("one two three four five six", id="a"), Document("seven eight nine ten eleven", id="b")])
    assert Locator(list(corpus)).find("one two three four five six seven eight nine ten eleven") is None


def test_freezing_writes_the_chunks_that_are_relevant():
    chunks = [Chunk(TIDES, 0, 23), Chunk(TIDES, 25, 57), Chunk(TIDES, 57, 86), Chunk(MOON, 0, 40)]
    samples = [
        EvalSample("a", relevant_ids=["tides#char=25,86"]),
        EvalSample(
            "b",
            relevant_ids=["tides#char=0,23", "moon#char=17,40"],
            metadata={"relevance_groups": [["tides#char=0,23", "moon#char=17,40"]]},
        ),
        EvalSample("c", relevant_ids=["moon"]),
        EvalSample("d", relevant_ids=["gone#char=0,3", "tides#char=0,23"]),
    ]
    frozen = freeze(samples, chunks)
    assert [sample.relevant_ids for sample in frozen.samples] == [
        ["tides#char=25,57", "tides#char=57,86"],
        ["tides#char=0,23", "moon#char=0,40"],
        ["moon#char=0,40"],
        ["tides#char=0,23"],
    ]
    assert frozen.samples[1].metadata["relevance_groups"] == [["tides#char=0,23", "moon#char=0,40"]]
    assert (frozen.lost, frozen.notes) == (1, ("1 pieces of evidence are in no chunk and were left out",))


def test_chunks_of_other_indexes_are_named_by_their_own_ids():
    chunks = [Document("Tides rise twice a day.", {"source": "tides", "start_index": 0}, id="c7")]
    assert freeze([EvalSample("a", relevant_ids=["tides#char=0,23"])], chunks).samples[0].relevant_ids == ["c7"]
    with pytest.raises(ConfigurationError, match="without an id"):
        freeze([], [Document("x")])


def test_evidence_for_other_documents_is_refused():
    fresh = asking(SENTENCE, doc_hashes={"tides": text_hash(TIDES.text)})
    fresh.relevant_ids = ["tides#char=25,87"]
    changed = Corpus([Document("New. " + TIDES.text, id="tides")])
    assert refuse_stale([fresh], CORPUS) is None
    with pytest.raises(ConfigurationError, match=r"1 documents have changed since .* 'tides'.*allow_stale=true"):
        refuse_stale([fresh], changed)
    with pytest.raises(ConfigurationError, match="documents have changed"):
        refuse_stale([fresh], Corpus([MOON]))
    found = refuse_stale([fresh], changed, allow_stale=True)
    assert found is not None
    assert found.samples[0].relevant_ids == ["tides#char=30,92"]


def test_a_hash_may_be_cut_but_not_to_nothing():
    assert refuse_stale([asking(doc_hashes={"moon": text_hash(MOON.text)[:16]})], CORPUS) is None
    with pytest.raises(ConfigurationError, match="at least 8 hex digits"):
        refuse_stale([asking(doc_hashes={"moon": ""})], CORPUS)


def test_stale_evidence_without_a_text_cannot_be_found_again():
    sample = EvalSample("Why?", relevant_ids=["moon#char=0,3"], metadata={"doc_hashes": {"moon": "0" * 64}})
    with pytest.raises(ConfigurationError, match="quotes no text"):
        refuse_stale([sample], CORPUS, allow_stale=True)
