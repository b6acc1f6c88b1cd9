"""Answers by quoting: the sentences of the passages that share the rarest words with the question. No model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import Answer
from fastrag_bench.sentences import sentence_spans
from fastrag_bench.tokenizers.terms import StopWords, Terms
from fastrag_bench.types import Document

_HEADING = re.compile(r"#{1,6}\s|.*\n\s*(?:={3,}|-{3,})$")
_RULE = re.compile(r"(?:```|~~~)|[-=*_]{3,}$|\|[-:| ]+$")
_MARKER = re.compile(r"(?:>\s*|[-*+•]\s+|\(?\d{1,3}[.)]\s+|\|\s*)+")
_QUANTITY = re.compile(
    r"\bhow (?:many|much|long|far|old|often|large|big|fast|high|deep|near|close|wide|tall|heavy|late|early|soon)\b"
    r"|\bwhen\b|\b(?:what|which) (?:year|date|temperature|size|percentage|share|speed|number|amount|length|width|height"
    r"|depth|distance|age|price|fraction|ratio)\b"
    r"|多少|多[长長高远遠大深重快久]|[几幾]|何[年月日人個本時分]|いくつ|いくら|どれくらい|どのくらい|얼마|몇",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|half|twice|hundred|thousand)\b")


@dataclass(frozen=True)
class _Sentence:
    """A sentence of the passages, with its terms and those of its heading and of the sentence before it."""

    text: str
    passage: int
    terms: frozenset[str]
    context: frozenset[str]


class ExtractiveGenerator(Component):
    """Quotes the best sentences, in their order in the passages; nothing when no word of the question is found.

    A sentence scores the inverse sentence frequencies (BM25's, over the sentences of the passages) of the question's
    words in it, plus `context_weight` times those only in its heading or in the sentence before it; times `rank_decay`
    for each passage above its own. Repeats, as overlapping chunks have them, count once. Headings are not quoted.
    """

    sentences: Annotated[int, Field(ge=1)] = 1
    """How many sentences at most."""

    max_chars: Annotated[int, Field(ge=1)] = 400
    """The longest answer; a single longer sentence is cut at a word."""

    rank_decay: Annotated[float, Field(gt=0, le=1)] = 0.9
    """What each rank down costs a passage's sentences; 1 = all passages count alike."""

    context_weight: Annotated[float, Field(ge=0, le=1)] = 0.3
    """How much question words count that stand only in the sentence before or in the heading."""

    number_bonus: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.5
    """What part of its score a sentence with a number gains where the question asks for a quantity or a date.

    Such questions are told by their wording, in English, Chinese, Japanese and Korean.
    """

    stemmer: str = "english"
    """A Snowball stemmer by its name; `none` compares words as they are."""

    stop_words: StopWords = "en"
    """Question words that do not count: the list of a language, `none`, or a list of words."""

    def inspect_settings(self) -> None:
        """Raise ConfigurationError if there is no such stemmer."""
        Terms(stemmer=self.stemmer)

    def generate(self, query: str, passages: Sequence[Document]) -> Answer:
        """The quoted sentences, joined by a space; tokens are not known, for no model counted them."""
        terms = Terms(stop_words=self.stop_words, stemmer=self.stemmer)
        sentences = _read(passages, terms)
        scores = self._scores(frozenset(terms.of(query)), sentences, wants_number=bool(_QUANTITY.search(query)))
        order = sorted(range(len(sentences)), key=lambda place: (-scores[place], place))
        best = self._chosen([place for place in order[: self.sentences] if scores[place] > 0], sentences)
        return Answer(_cut(" ".join(sentences[place].text for place in best), self.max_chars))

    def _chosen(self, order: Sequence[int], sentences: Sequence[_Sentence]) -> list[int]:
        """The places of the best sentence and of those after it that still fit, in their order in the passages."""
        chosen, length = list(order[:1]), sum(len(sentences[place].text) for place in order[:1])
        for place in order[1:]:
            if length + 1 + len(sentences[place].text) <= self.max_chars:
                chosen.append(place)
                length += 1 + len(sentences[place].text)
        return sorted(chosen)

    def _scores(self, query: frozenset[str], sentences: Sequence[_Sentence], *, wants_number: bool) -> list[float]:
        rarity = _rarity(query, sentences)
        scores = []
        for sentence in sentences:
            own = math.fsum(rarity[term] for term in sentence.terms & query)
            near = math.fsum(rarity[term] for term in (sentence.context & query) - sentence.terms)
            fit = 1.0 + self.number_bonus if wants_number and _NUMBER.search(sentence.text) else 1.0
            scores.append((own + self.context_weight * near) * self.rank_decay**sentence.passage * fit)
        return scores


def _rarity(query: frozenset[str], sentences: Sequence[_Sentence]) -> dict[str, float]:
    """The weight of each question word that stands in a sentence or a heading; the rarer, the more."""
    counts = Counter(term for sentence in sentences for term in sentence.terms & query)
    counts.update({term: 0 for sentence in sentences for term in sentence.context & query if term not in counts})
    return {term: math.log(1 + (len(sentences) - count + 0.5) / (count + 0.5)) for term, count in counts.items()}


def _read(passages: Sequence[Document], terms: Terms) -> list[_Sentence]:
    """The sentences of all passages, best passage first; one that was there before is left out."""
    found: dict[str, _Sentence] = {}
    for number, passage in enumerate(passages):
        heading = before = frozenset[str]()
        raws = [passage.text[start:end] for start, end in sentence_spans(passage.text)]
        for raw, following in zip(raws, [*raws[1:], ""], strict=True):
            text, own = _clean(raw), frozenset(terms.of(raw))
            if _HEADING.match(raw):
                heading, before = own, frozenset()
            elif raw.startswith("|") and _RULE.match(following):  # the first row of a table
                heading = heading | own
            elif text and not _RULE.match(raw):
                found.setdefault(text, _Sentence(text, number, own, heading | before))
                before = own
    return list(found.values())


def _clean(raw: str) -> str:
    """A sentence on one line, without the marks of a list, a quotation or a table around it."""
    marker = _MARKER.match(raw)
    return " ".join(raw[marker.end() if marker else 0 :].split()).removesuffix(" |")


def _cut(text: str, length: int) -> str:
    """The first `length` characters, to the end of a word where there is one."""
    if len(text) <= length:
        return text
    head = text[: length + 1].rpartition(" ")[0]
    return head or text[:length]
