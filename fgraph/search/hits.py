"""What a hit shows of its matched facts: the fact, who stated it and when, and an excerpt (docs/search.md)."""

from fgraph import limits
from fgraph.file import genesis
from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader
from fgraph.read import render
from fgraph.search import cuts, facts
from fgraph.search.lists import Evidence
from fgraph.values.logical import TEXT, TEXTS, VECTOR


def shown(reader: Reader, wanted: list[Evidence]) -> list[dict]:
    """Each piece of evidence as an answer shows it."""
    rows = facts.rows(reader, [evidence.fact for evidence in wanted])
    stated = _provenance(reader, {row[5] for row in rows.values()})
    answers = []
    for evidence in wanted:
        row = rows[evidence.fact]
        answer = {**_short(facts.fact(reader, row), row[4]), **stated.get(row[5], {})}
        if evidence.words is not None or evidence.because is not None:
            answer.update(_excerpt(reader, evidence, row))
        answers.append(answer)
    return answers


def _short(fact: dict, tag: int) -> dict:
    if tag == VECTOR:
        return {**fact, "v": {"vector_dims": len(fact["v"]["vector"])}, "value_truncated": True}
    if tag in TEXTS:
        text = cuts.text(fact["v"])
        return fact if text == fact["v"] else {**fact, "v": text, "value_truncated": True}
    value = cuts.value(fact["v"])
    return fact if value is fact["v"] else {**fact, "v": value, "value_truncated": True}


def _excerpt(reader: Reader, evidence: Evidence, row: tuple) -> dict:
    whole = evidence.because
    if whole is None:
        opening = limits.SEARCH_OPENING_BYTES
        whole = _snippet(reader, evidence, row[4]) or cuts.text(str(facts.value(reader, row)), opening)
    text = cuts.text(whole)
    return {"snippet": text} if text == whole else {"snippet": text, "snippet_truncated": True}


def _snippet(reader: Reader, evidence: Evidence, tag: int) -> str | None:
    """The full-text excerpt; None where the words are not found as full-text search cuts them, or too often."""
    if tag != TEXT and _marks(reader, evidence) > limits.SEARCH_SNIPPET_WORDS:
        return None
    sql = f"""
        SELECT snippet(fgraph_fts, 0, '[', ']', '{cuts.ELLIPSIS}', {limits.SEARCH_SNIPPET_TOKENS})
        FROM fgraph_fts
        WHERE fgraph_fts MATCH ? AND rowid = ?
    """
    rows = reader.fetch(sql, (evidence.words, evidence.fact))
    return rows[0][0] if rows else None


def _marks(reader: Reader, evidence: Evidence) -> int:
    """How often the words occur in a long text: the time that `snippet` takes grows with the square of that number."""
    sql = """
        SELECT length(highlight(fgraph_fts, 0, '*', '')) - length(text)
        FROM fgraph_fts
        WHERE fgraph_fts MATCH ? AND rowid = ?
    """
    rows = reader.fetch(sql, (evidence.words, evidence.fact))
    return rows[0][0] if rows else 0


def _provenance(reader: Reader, transactions: set[int]) -> dict[int, dict]:
    """`at` in microseconds and, where stated, `by` and `source` of each transaction."""
    stated: dict[int, dict] = {}
    for part in chunks(sorted(transactions)):
        sql = f"""
            SELECT f.e, f.a, f.v, f.t, b.data
            FROM fgraph_facts f INDEXED BY fgraph_eavt
            {render.BLOB_JOIN}
            WHERE f.e IN ({placeholders(part)})
              AND f.a IN ({genesis.AT}, {genesis.BY}, {genesis.SOURCE})
              AND f.rx IS NULL
            ORDER BY f.a
        """
        for transaction, attribute, value, tag, blob in reader.fetch(sql, part):
            known = stated.setdefault(transaction, {})
            if attribute == genesis.AT:
                known["at"] = value
            else:
                known["by" if attribute == genesis.BY else "source"] = render.render_value(reader, tag, value, blob)
    return stated
