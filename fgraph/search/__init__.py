"""Search by words, by vectors and by both (docs/search.md)."""

from fgraph.search.engine import search
from fgraph.search.result import SearchResult
from fgraph.search.sizing import fit

__all__ = ["SearchResult", "fit", "search"]
