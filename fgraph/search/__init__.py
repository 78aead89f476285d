"""Search by words, by vectors and by both (docs/search.md)."""
