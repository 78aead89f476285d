"""The search tool: what was found, in a form that an agent can afford to read."""

from __future__ import annotations

from fgraph import errors, limits
from fgraph.mcp import answers
from fgraph.mcp.answers import Answer
from fgraph.mcp.notes import EMBEDDING, TEXT
from fgraph.schema.declarations import declarations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fgraph.file.reader import Reader
    from fgraph.mcp.call import Call


def recall(call: Call, given: dict) -> Answer:
    """`recall`: ranked hits by the words of a question, and by meaning where an embedder is configured."""
    query = given["query"]
    if not query.strip():
        raise errors.TypeError("query is blank", param="query", hint="say what to look for")
    vector = None
    if call.embedder is not None:
        call.progress.step(0, 2, "embedding")
        vector = call.embedder.query(query)
        call.progress.step(1, 2, "searching")
    with call.reading() as (db, reader):
        meaning = {"vector": vector, "vector_attribute": EMBEDDING} if _comparable(reader, vector) else {}
        try:
            found = db.search(
                query,
                k=given.get("k", limits.MCP_HITS),
                expand=given.get("expand", 0),
                filters=given.get("filters", ()),
                text_attributes=given.get("attributes", ()),
                match="any",
                **meaning,
            )
        except errors.FGraphError as error:
            raise _in_our_words(error) from None
    data = {key: found[key] for key in found}
    data["hits"] = [{**hit, "pull": answers.without_vectors(hit["pull"])} for hit in data["hits"]]
    data["expanded"] = [{**node, "pull": answers.without_vectors(node["pull"])} for node in data["expanded"]]
    if given.get("detail") == "brief":
        data = _brief(data)
    return Answer(data["basis_tx"], _fitted(data) if "k" in given else _short(data))


def _in_our_words(error: errors.FGraphError) -> errors.FGraphError:
    """The error of a search with the tool's name for the argument."""
    error.message = error.message.replace("text_attributes", "attributes")
    error.param = error.param and error.param.replace("text_attributes", "attributes")
    return error


def _comparable(reader: Reader, vector: list[float] | None) -> bool:
    """Whether the stored notes have vectors that this one can be compared with; if not, words alone are searched."""
    if vector is None or not any(vector):
        return False
    attribute = reader.id_of(EMBEDDING)
    if attribute is None:
        return False
    declared = declarations(reader).of(attribute)
    return declared.type in (None, "vector") and declared.dims == len(vector)


def _brief(data: dict) -> dict:
    hits = [_brief_hit(hit) for hit in data["hits"]]
    expanded = [{"entity": node["entity"], "via": node["via"]} for node in data["expanded"]]
    return {**data, "hits": hits, "expanded": expanded}


def _brief_hit(hit: dict) -> dict:
    """One short text with the provenance of the best match."""
    best = hit["matched"][0] if hit["matched"] else {}
    text = hit["pull"].get(TEXT)
    if not isinstance(text, str):
        text = next((one["v"] for one in hit["matched"] if isinstance(one["v"], str)), "")
    short = {"entity": hit["entity"], "score": hit["score"], "text": answers.cut_text(text, limits.MCP_BRIEF_BYTES)}
    return {**short, **{key: best[key] for key in ("tx", "by", "source") if key in best}}


def _short(data: dict) -> dict:
    """Hits, then what they link to, under the length of a short answer."""
    frame = {**data, "hits": [], "expanded": [], "truncated": True}
    hits = answers.short_page(data["hits"], frame, _cut_hit)
    short = {**data, "hits": hits, "expanded": []}
    if len(hits) < len(data["hits"]):
        short["truncated"] = True
    elif data["expanded"]:
        nodes = [_cut_hit(node, limits.MCP_BRIEF_BYTES) for node in data["expanded"]]
        room = limits.MCP_DEFAULT_CHARS - answers.size(short) - limits.MCP_FRAME_CHARS
        short["expanded"] = nodes[: answers.leading(nodes, room)]
        short["truncated"] = data["truncated"] or len(short["expanded"]) < len(nodes)
    return short


def _cut_hit(hit: dict, most: int) -> dict:
    """A hit with its texts shortened; the facts in `matched` and `via` are marked, `pull` ends in an ellipsis."""
    cut = dict(hit)
    for name in ("matched", "via"):
        if name in cut:
            cut[name] = [answers.cut_fact(fact, most) for fact in cut[name]]
    if "pull" in cut:
        cut["pull"] = answers.cut_inside(cut["pull"], most)
    return cut


def _fitted(data: dict) -> dict:
    """The whole answer, or one that drops what matters least until it fits the cap."""
    basis = data["basis_tx"]
    if answers.fits_cap(basis, data):
        return data
    data = {
        **data,
        "hits": [_cut_hit(hit, limits.MCP_EXCERPT_BYTES) for hit in data["hits"]],
        "expanded": [_cut_hit(node, limits.MCP_EXCERPT_BYTES) for node in data["expanded"]],
    }
    if answers.fits_cap(basis, data):
        return data
    data = {**data, "expanded": [], "truncated": True}
    if not answers.fits_cap(basis, data):
        data["hits"] = [{**hit, "matched": []} for hit in data["hits"]]
    while not answers.fits_cap(basis, data):
        data["hits"] = data["hits"][:-1]
    return data
