"""Turn the written questions of the default dataset into its final form.

Reads `questions-*.jsonl` and `documents/*.md` in the data folder, finds each quote in its document, and writes
`questions.jsonl` with spans as gold ids. Run it after any change to a document or a question. Exits
with 1, writing nothing, when a quote does not occur exactly once in its document.
"""

from __future__ import annotations

import collections
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "src" / "fastrag_bench" / "data" / "default"
QUESTIONS = Path(__file__).resolve().parent / "default_dataset"


def main() -> int:
    """Build the file, print counts; 1 if anything is wrong."""
    documents = {path.stem: path.read_text(encoding="utf-8") for path in sorted((FOLDER / "documents").glob("*.md"))}
    written = [
        json.loads(line)
        for path in sorted(QUESTIONS.glob("questions-*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    problems = [problem for question in written for problem in problems_of(question, documents)]
    repeated = [name for name, count in collections.Counter(row["id"] for row in written).items() if count > 1]
    problems += [f"{name}: the id comes twice" for name in repeated]
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
        return 1
    lines = [json.dumps(final_form(question, documents), ensure_ascii=False) for question in written]
    (FOLDER / "questions.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    kinds = collections.Counter(question["kind"] for question in written)
    words = sum(len(text.split()) for text in documents.values())
    print(f"{len(documents)} documents, {words} words; {len(written)} questions: {dict(sorted(kinds.items()))}")
    return 0


def problems_of(question: dict[str, Any], documents: dict[str, str]) -> list[str]:
    """What keeps a question from its final form."""
    answerable = question["kind"] != "unanswerable"
    if bool(question["evidence"]) != answerable or bool(question["answers"]) != answerable:
        return [f"{question['id']}: a {question['kind']} question with the wrong number of answers or quotes"]
    problems = []
    for evidence in question["evidence"]:
        count = documents.get(evidence["doc"], "").count(evidence["quote"]) if evidence["quote"] else 0
        if count != 1:
            problems.append(f"{question['id']}: {count} times in {evidence['doc']}: {evidence['quote']!r}")
    return problems


def final_form(question: dict[str, Any], documents: dict[str, str]) -> dict[str, Any]:
    """The four fields of a sample; a gold id is `document#char=start,end` in code points."""
    spans = []
    for evidence in question["evidence"]:
        start = documents[evidence["doc"]].index(evidence["quote"])
        spans.append(f"{evidence['doc']}.md#char={start},{start + len(evidence['quote'])}")
    metadata: dict[str, Any] = {"id": question["id"], "kind": question["kind"]}
    metadata |= {"quotes": [evidence["quote"] for evidence in question["evidence"]]} if spans else {"answerable": False}
    return {
        "question": question["question"],
        "expected_answers": question["answers"],
        "relevant_ids": spans,
        "metadata": metadata,
    }


if __name__ == "__main__":
    sys.exit(main())
