"""Any text at all is a valid query."""

import random

import pytest

import fgraph
from tests.search.benches import hits, notes

TEXTS = [
    '"', "'", "*", "(", "NEAR(", "NEAR(pump seal, 3)", "AND", "OR NOT", "-plain", "^pump", "a:b", "text:pump", "{pump}",
    "don't", "pump*", '"pump" seal"', "pump + seal", "\0", "pump\0seal", "\u202epump",
    "\U0001f642", "\U0001f469\u200d\U0001f467 pump", "\u0301", "_", "__", "a" * 5_000, "pump " * 2_000,
    " ".join(map(str, range(2_000))), "שלום", "مرحبا بالعالم", "हिन्दी", "ภาษาไทย", "漢字かな交じり文" * 200,
    "\ufb01", "ß", "İstanbul", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "\U0001e900\U0001e901", "½²", "\u00ad", "\ufeffpump",
    "getUserById_or_URLParser2", "path/to/file.py:12", "user@example.com", "std::vector<int>", "OC-41252",
    "2026-03-14", "\n\tpump\r\n", "%s {} \\", "pump; DROP TABLE fgraph_facts", "C:\\temp\\pump", "#!$%&/()=?",
]  # fmt: skip


@pytest.fixture(scope="module")
def db():
    with notes("replace the pump seal every spring", "漢字かな交じり文 and 🙂", "getUserById in path/to/file.py") as db:
        yield db


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:20]))
@pytest.mark.parametrize("match", ["any", "all"])
def test_no_text_is_an_error(db, text, match):
    assert all(hit["matched"] for hit in db.search(text, match=match).hits)


def test_a_whole_stored_text_finds_itself_first():
    words = [f"word{number}" for number in range(600)]
    with notes(" ".join(words), " ".join(words[:300]), " ".join(words[300:])) as db:
        for match in ("any", "all"):
            assert hits(db.search(" ".join(words), match=match))[0] == "t0"
        assert hits(db.search(" ".join([*words, "other"]), match="all")) == []


def test_random_texts_are_no_errors_either(db):
    chance = random.Random(11)
    marks = "\"'*()^-+:{}[]~&|!?.,;<>/\\ \t\n\0_"
    pieces = [*marks, "pump", "seal", "AND", "NEAR", "漢字", "かな", "é", "e\u0301", "\u05e9", "\U0001f642"]
    for _ in range(200):
        text = "".join(
            chance.choice(pieces)
            if chance.random() < 0.8
            else chr(chance.choice((chance.randrange(0xD800), chance.randrange(0xE000, 0x11_0000))))
            for _ in range(chance.randint(1, 25))
        )
        if not text.isspace():
            for match in ("any", "all"):
                db.search(text, match=match)


# what is asked, and the note that holds it
HOLDING = {
    "OC-41252": "order OC-41252 was charged twice",
    "2026-03-14": "the gen-itgc job failed on 2026-03-14 because of a timeout",
    "why did the gen job fail": "the gen-itgc job failed on 2026-03-14 because of a timeout",
    "don't": "I don't like it",
    "src/app/main.py": "the loop is in src/app/main.py",
    "std::vector": "replaced std::vector by an array",
    "user@example.com": "write to user@example.com",
    "NEAR(": "NEAR( is an operator",
    "AND": "AND joins two conditions",
    "-plain": "call it with -plain",
    "a:b": "the pair a:b is split",
}


@pytest.mark.parametrize("question", HOLDING)
def test_what_holds_the_words_is_found_first(question):
    others = [text for text in dict.fromkeys(HOLDING.values()) if text != HOLDING[question]]
    with notes(*others, answer=HOLDING[question]) as db:
        assert hits(db.search(question))[0] == "answer"


@pytest.mark.parametrize("text", ["\ud800", "pump \udfff", "\ud83d\ude42 seal"])
def test_half_of_a_surrogate_pair_is_no_text(db, text):
    with pytest.raises(fgraph.TypeError) as caught:
        db.search(text)
    assert caught.value.param == "text"


def test_a_text_of_one_emoji_has_no_hits(db):
    assert db.search("🙂").hits == []
