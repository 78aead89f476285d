"""`match="any"`: every word of a question counts, none is required."""

import sqlite3

import pytest

import fgraph
from fgraph import limits
from fgraph.search import vectors, vocabulary
from fgraph.search.vocabulary import Vocabulary
from tests.search.benches import asked, hits, notes, pumps, snippets


def test_a_question_finds_a_note_that_holds_only_some_of_its_words():
    with notes("Run the full gate before completion", "Tea is in the left drawer") as db:
        assert hits(db.search("what should I run before I say a change is done?")) == ["t0"]


def test_facts_with_every_word_come_first_whatever_the_others_weigh():
    with notes("gate gate gate gate", "the gate of the very old and very long garden wall is green") as db:
        assert hits(db.search("green gate")) == ["t1", "t0"]


@pytest.mark.parametrize("text", ["pump", "pump seal", "spring pump", "creme brulee"])
def test_the_answer_begins_with_the_one_of_all_words(text):
    with pumps() as db:
        whole = hits(db.search(text, match="all"))
        assert hits(db.search(text))[: len(whole)] == whole


def test_any_is_the_default():
    with pumps() as db:
        assert db.search("pump zebra") == db.search("pump zebra", match="any")
        assert hits(db.search("pump zebra")) == ["n3", "n1"]


# question, what it must find first, what it must not find at all
FORMS = [
    ("deploying", "we deploy on Tuesdays", "the depot is closed"),
    ("migration", "migrate the table at night", "a mighty storm"),
    ("replies", "she replied within a day", "a replica of the statue"),
    ("running", "run it twice", "rungs of a ladder"),
    ("used", "using the old key", "the usher waits"),
    ("planned", "plans for the garden", "planets and their moons"),
    ("failures", "it fails on Mondays", "a faint smell"),
    ("boxes", "one box is missing", "a boxer dog"),
    ("write", "she wrote it down", "a wry smile"),
    ("went", "we go on Mondays", "a tent"),
    ("when did they choose", "the date was chosen in May", "a choir"),
    ("child", "two children and a dog", "a chilly day"),
    ("father", "Dad called on Monday", "a fatal error"),
    ("parent of a kid", "children are welcome", "kindling"),
    ("purchase", "she bought a lamp", "on purpose"),
    ("repo", "repositories are mirrored", "a rodeo"),
    ("k8s", "the Kubernetes cluster", "k9 units"),
    ("kubernetes", "our k8s cluster", "a cube"),
    ("remove user", "deleteUser asks twice", "a remote desk"),
    ("when did grandpa die", "he died in May", "a diet"),
    ("where are the roses growing", "we planted a rose", "a rosary"),
    ("what does it call", "the web hook calls the ledger", "a calm day"),
    ("what did we try", "they tried Kafka first", "a trip"),
    ("who wrote them", "Nina writes the release notes", "a wrong turn"),
    ("what broke", "the installer breaks on Windows", "a brown bear"),
    ("rebuild", "the index was rebuilt at night", "a rebate"),
    ("when did she leave", "she left on Monday", "a leaflet"),
    ("when does the team ship", "we deploy on Thursdays", "a shy cat"),
    ("rollback", "we rolled back with helm", "come back on a roll"),
    ("how do I log in", "login is by SSO", "a lodge in the wood"),
    ("sign-up", "she signed up in May", "a sigh"),
    ("roll back", "a rollback takes two minutes", "a rowing boat"),
    ("change log", "every CHANGELOG has a date", "logistics"),
    ("get user by id", "getUserById returns None", "the getaway car"),
    ("write json", "atomic_write_json renames a file", "jasmine"),
    ("writeJson", "write_json renames a file", "jasmine"),
    ("user input", "forms end up in src/user_input.py", "unused"),
    ("http client", "RetryingHttpClient must be closed", "a hatch"),
    ("tick.py", "core/scheduler/tick.py must never block", "sticky"),
    ("resume", "her résumé is two pages long", "a rest"),
    ("what did she do on 7 May 2023", "2023-05-07: she left", "2022-06-08: she came"),
    ("2023-05-07", "she left on May 7", "she came on June 8"),
    ("3rd of October", "Oct 3: the lease ends", "Nov 4: the lease begins"),
    ("Zürich", "der Zug nach Zurich", "ein Zuruf"),
    ("пароли", "пароль сервера", "парк"),
    ("备份在哪里", "数据库备份保存在上海", "上海的天气"),
    ("バックアップ", "毎晩データベースのバックアップを取る", "バス停"),
    ("배포 일정", "배포는 화요일입니다", "배추김치"),
    ("รหัสผ่าน", "เปลี่ยนรหัสผ่านทุกเดือน", "รถไฟ"),
    ("كتاب", "وصل الكتاب أمس", "كلب"),
    ("pytest", "用pytest跑测试", "跑步"),
]


@pytest.mark.parametrize(("question", "answer", "other"), FORMS)
def test_other_forms_of_a_word_are_found(question, answer, other):
    with notes(answer, other) as db:
        assert hits(db.search(question)) == ["t0"]


def test_the_very_word_comes_before_its_other_forms():
    with notes("three deployments", "one deployment", "they deployed it") as db:
        assert hits(db.search("deployment today"))[0] == "t1"


def test_the_very_word_comes_before_its_synonyms():
    with notes("delete the row", "remove the row", "erase the row") as db:
        assert hits(db.search("remove a row today")) == ["t1", "t2", "t0"]


def test_match_all_knows_no_synonyms_and_no_irregular_forms():
    with notes("delete the row", "she wrote it") as db:
        assert hits(db.search("remove", match="all")) == []
        assert hits(db.search("write", match="all")) == []


def test_an_entity_is_found_by_a_synonym_in_its_name():
    with fgraph.connect(":memory:") as db:
        db.transact({"id": "repo-settings", "file/lines": 40})
        db.transact({"id": "report-sender", "file/lines": 70})
        assert hits(db.search("configuration of the repository")) == ["repo-settings"]


def test_rare_words_weigh_more_than_frequent_ones():
    with notes(*["the server restarts at night"] * 20, "the turbine restarts at noon") as db:
        assert hits(db.search("server turbine"))[0] == "t20"


def test_words_that_stand_together_weigh_more():
    with notes(
        "the cache key of that session and the signing of papers",
        "the signing key of that session and a cache of papers",
    ) as db:
        assert hits(db.search("where is our signing key kept"))[0] == "t1"


def test_the_newer_of_two_equal_notes_comes_first():
    with notes("lunch is at noon", "lunch is at noon") as db:
        assert hits(db.search("lunch")) == ["t1", "t0"]
        assert hits(db.search("when is lunch served")) == ["t1", "t0"]


def test_an_entity_is_found_by_its_name_and_its_attribute():
    with fgraph.connect(":memory:") as db:
        db.transact({"id": "svc/payment-gateway", "service/port": 8443, "service/owner": "Ada"})
        db.transact({"id": "svc/label-printer", "service/port": 9100, "service/owner": "Bo"})
        result = db.search("port of the payment gateway")
        assert hits(result)[0] == "svc/payment-gateway"
        (fact,) = result.hits[0]["matched"]
        assert (fact["a"], fact["v"]) == ("service/port", 8443)
        assert fact["snippet"] == "svc/[payment]-[gateway] service/[port]"


def test_words_spread_over_the_facts_of_one_entity_add_up():
    with fgraph.connect(":memory:") as db:
        db.transact([{"id": "a", "car/make": "Saab", "car/town": "Lund"}, {"id": "b", "car/make": "Saab"}])
        db.transact({"id": "c", "car/town": "Lund"})
        assert hits(db.search("which Saab stands in Lund"))[0] == "a"


def test_an_answer_is_found_after_the_note_that_asks():
    with fgraph.connect(":memory:") as db:
        talk = ["Which colour did you choose for the kitchen?", "Sage, with a darker trim.", "Lovely. I saw a heron."]
        for number, text in enumerate(talk):
            db.transact({"id": f"t{number}", "note/text": text}, source="chat-4")
        assert set(hits(db.search("What colour was chosen for the kitchen walls?"))[:2]) == {"t0", "t1"}


def test_an_answer_without_a_source_is_found_as_well():
    with notes("Which colour did you choose for the kitchen?", "Sage, with a darker trim.", "I saw a heron.") as db:
        assert set(hits(db.search("What colour was chosen for the kitchen walls?"))[:2]) == {"t0", "t1"}
        assert set(hits(db.search("Which colour?"))) >= {"t0", "t1"}


def test_what_is_said_next_without_a_source_belongs_to_a_conversation():
    with notes("Ada: We chose a colour for the kitchen.", "Bo: Sage, I bet.", "Rain.") as db:
        assert hits(db.search("What colour was chosen for the kitchen?")) == ["t0", "t1"]
    with notes("We chose a colour for the kitchen.", "Sage is in the left drawer.") as db:
        assert hits(db.search("What colour was chosen for the kitchen?")) == ["t0"]


def test_keywords_do_not_bring_up_notes_without_them():
    with notes("Which colour did you choose for the kitchen?", "Sage, with a darker trim.") as db:
        assert hits(db.search("kitchen colour")) == ["t0"]


def test_of_two_equal_notes_the_one_that_asks_comes_last():
    with notes("The kiln is in the garage.", *["Rain."] * 9, "Is the kiln in the garage?") as db:
        assert hits(db.search("where in the garage does the kiln stand"))[:2] == ["t0", "t10"]


def test_of_two_equal_notes_the_one_that_answers_comes_first():
    with notes("Who painted the fence?", "Rita did.", *["Rain."] * 9, "They painted the fence.", "Rita did.") as db:
        found = hits(db.search("When was the fence painted by Rita"))
        assert found.index("t1") < found.index("t12")


def test_notes_of_another_source_explain_nothing():
    with fgraph.connect(":memory:") as db:
        db.transact({"id": "t0", "note/text": "Which colour did you choose for the kitchen?"}, source="chat-4")
        db.transact({"id": "t1", "note/text": "Sage, with a darker trim."}, source="letter-9")
        assert hits(db.search("What colour was chosen for the kitchen walls?")) == ["t0"]


def test_names_and_joined_words_written_by_another_handle_are_found(tmp_path):
    with fgraph.connect(tmp_path / "a.db") as one, fgraph.connect(tmp_path / "a.db") as other:
        one.transact({"id": "first-note", "note/text": "calls openValve"})
        assert asked(other, ["first", "valve"]) == {"first": ["first-note"], "valve": ["first-note"]}
        one.transact({"id": "second-note", "note/text": "calls closeValve"})
        assert asked(other, ["second", "valve"]) == {"second": ["second-note"], "valve": ["second-note", "first-note"]}


def test_names_and_joined_words_excised_by_another_handle_are_not_found(tmp_path):
    with fgraph.connect(tmp_path / "a.db") as one, fgraph.connect(tmp_path / "a.db") as other:
        one.transact({"id": "first-note", "note/text": "calls openValve"})
        assert asked(other, ["first", "valve"]) == {"first": ["first-note"], "valve": ["first-note"]}
        one.excise("first-note")
        assert asked(other, ["first", "valve"]) == {"first": [], "valve": []}


def test_names_and_joined_words_that_were_rolled_back_are_not_taken_for_later_ones():
    with notes("calls openValve") as db:
        with db.speculate():
            db.transact({"id": "second-note", "note/text": "calls closeValve"})
            assert asked(db, ["second", "close"]) == {"second": ["second-note"], "close": ["second-note"]}
        db.transact({"id": "third-note", "note/text": "calls turnValve"})
        assert asked(db, ["second", "close", "third", "turn"]) == {
            "second": [],
            "close": [],
            "third": ["third-note"],
            "turn": ["third-note"],
        }


def test_who_speaks_and_what_is_said_may_be_two_facts():
    """More facts than are weighed name `Nadia`, and more hold `boat`; of all that are looked up one entity has both."""
    with fgraph.connect(":memory:") as db:
        db.transact({"id": "wanted", "turn/by": "Nadia", "turn/text": "I bought a boat"})
        for number in range(110):
            db.transact({"id": f"n{number}", "turn/by": "Nadia", "turn/text": "Good morning"})
            db.transact({"id": f"o{number}", "turn/by": "Owen", "turn/text": "My boat leaks"})
        assert hits(db.search("Nadia boat colour"))[0] == "wanted"


def test_an_entity_of_many_facts_leaves_room_for_others():
    """The lines of `log` hold one term each, all of them together; the notes hold two."""
    with fgraph.connect(":memory:") as db:
        db.declare("log/line", type="text", many=True)
        for number in range(9):
            db.transact({"id": f"t{number}", "note/text": "oil for the turbine bearing"})
        lines = [f"{word} {number}" for number in range(60) for word in ("turbine", "bearing", "Rosa")]
        db.transact({"id": "log", "log/line": lines})
        assert set(hits(db.search("turbine bearing Rosa"))) == {"log", *(f"t{number}" for number in range(9))}


def test_a_common_synonym_does_not_crowd_out_the_very_word():
    with notes("Her nickname is Bobby", *(f"the name of item {number}" for number in range(320))) as db:
        assert hits(db.search("nickname of the printer"))[0] == "t0"


# Names that hold a spelling of the term by chance, a question, the entity that it names
NAMESAKES = [
    ("tests/unit-{}", "setup of typescript", "typescript-setup"),  # `ts`
    ("transaction-{}", "when does it run", "run-gate"),  # `ran`
]


@pytest.mark.parametrize(("others", "question", "entity"), NAMESAKES)
def test_many_names_that_hold_another_spelling_do_not_hide_an_entity(others, question, entity):
    with fgraph.connect(":memory:") as db:
        db.transact({"id": entity, "n/size": 1})
        count = limits.SEARCH_NAMESAKES + 1
        db.transact([{"id": others.format(number), "n/size": 2} for number in range(count)])
        assert hits(db.search(question)) == [entity]


def test_forms_of_an_irregular_word_are_found_in_names():
    with fgraph.connect(":memory:") as db:
        db.transact([{"id": name, "n/size": 1} for name in ("making-tea", "made-up", "using-git", "flies-away")])
        assert sorted(hits(db.search("make"))) == ["made-up", "making-tea"]
        assert hits(db.search("use")) == ["using-git"]
        assert hits(db.search("fly")) == ["flies-away"]


def test_a_cancelled_search_takes_up_no_name_twice(monkeypatch):
    with fgraph.connect(":memory:") as db:
        db.transact([{"id": f"kettle-{number}", "n/size": 1} for number in range(600)])
        with monkeypatch.context() as patch:
            patch.setattr(Vocabulary, "_add_compounds", lambda *_: db.interrupt() or db._store.check_cancelled())
            with pytest.raises(fgraph.QueryError):
                db.search("kettle")
        assert len(hits(db.search("kettle"))) == 10


def test_joined_words_that_no_text_holds_any_more_take_no_place():
    with fgraph.connect(":memory:") as db:
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: limits.SEARCH_COMPOUNDS_PER_TERM]:
            db.transact({"id": "call", "c/text": f"use getWidget{letter}x"})
            assert hits(db.search("widget")) == ["call"]
        db.transact({"id": "call", "c/text": "use newWidgetHere"})
        assert hits(db.search("widget")) == ["call"]


def test_what_another_handle_repaired_is_found(tmp_path):
    with fgraph.connect(tmp_path / "a.db") as one, fgraph.connect(tmp_path / "a.db") as other:
        one.transact({"id": "a", "note/text": "the getWidgetById call"})
        with sqlite3.connect(tmp_path / "a.db") as raw:
            raw.execute("DELETE FROM fgraph_fts WHERE text LIKE '%Widget%'")
        raw.close()
        assert hits(other.search("widget")) == []
        assert one.doctor(repair=True)["repaired"]
        assert hits(other.search("widget")) == ["a"]


def test_an_interrupt_while_joined_words_are_taken_up_loses_none(monkeypatch):
    def interrupted(word: str) -> tuple[str, ...]:
        raise KeyboardInterrupt

    with notes("calls openValve") as db:
        with monkeypatch.context() as patch:
            patch.setattr(vocabulary, "_keys", interrupted)
            with pytest.raises(KeyboardInterrupt):
                db.search("tea")
        assert hits(db.search("valve")) == ["t0"]


def test_followers_are_of_the_attributes_asked_for():
    with fgraph.connect(":memory:") as db:
        db.transact({"id": "q", "m/question": "Who has painted the blue gate?"}, source="s")
        db.transact({"id": "a", "m/answer": "Ada did."}, source="s")
        assert hits(db.search("who painted the gate")) == ["q", "a"]
        assert hits(db.search("who painted the gate", text_attributes=["m/question"])) == ["q"]


def test_a_missing_long_text_is_reported(tmp_path):
    with fgraph.connect(tmp_path / "a.db") as db:
        db.transact([{"id": "a", "c/t": "pump " + "x" * 300}, {"id": "b", "c/t": "the pump and the seal"}])
    with sqlite3.connect(tmp_path / "a.db") as raw:
        raw.execute("DELETE FROM fgraph_blobs")
    raw.close()
    with fgraph.connect(tmp_path / "a.db") as db, pytest.raises(fgraph.FormatError):
        db.search("pump of steel")


def test_what_another_handle_excised_is_not_kept_in_memory(tmp_path):
    with fgraph.connect(tmp_path / "a.db") as one, fgraph.connect(tmp_path / "a.db") as other:
        one.transact([{"id": "a", "note/text": "theHandshakeWord"}, {"id": "b", "note/text": "tea"}])
        assert hits(other.search("handshake")) == ["a"]
        one.excise("a")
        assert hits(other.search("tea")) == ["b"]
        assert "theHandshakeWord" not in other._store.lasting(vocabulary.KEPT, Vocabulary)._seen


def test_a_refused_write_leaves_what_is_kept():
    with notes("calls openValve") as db:
        db.search("valve")
        kept = db._store.lasting(vocabulary.KEPT, Vocabulary)
        with pytest.raises(fgraph.SchemaError):
            db.transact({"id": "fgraph/new", "note/text": "no"})
        assert db._store.lasting(vocabulary.KEPT, Vocabulary) is kept


def test_a_note_is_found_by_who_stated_it_and_by_its_source():
    with fgraph.connect(":memory:") as db:
        db.transact({"id": "a", "note/text": "The export must be a CSV file."}, by="lena", source="chat with Chiara")
        db.transact({"id": "b", "note/text": "Sessions expire after noon."}, source="adr/0003.md")
        for question in ("what did Chiara tell us", "what does Lena say"):
            result = db.search(question)
            assert hits(result) == ["a"]
        assert result.hits[0]["matched"][0]["snippet"] == "[lena] chat with Chiara"
        assert hits(db.search("adr 0003")) == ["b"]
        assert hits(db.search("Chiara", match="all")) == []


def test_words_of_a_note_weigh_more_than_its_source():
    with fgraph.connect(":memory:") as db:
        db.transact({"id": "a", "note/text": "Tea is in the drawer."}, source="walk with Chiara")
        db.transact({"id": "b", "note/text": "Chiara likes tea."}, source="walk")
        db.transact({"id": "c", "note/text": "Rain."}, source="walk with Chiara")
        assert hits(db.search("what does Chiara drink")) == ["b", "c", "a"]


def test_filters_hold_for_notes_that_are_found_by_their_source():
    with fgraph.connect(":memory:") as db:
        db.transact([{"id": "a", "n/kind": "plan"}, {"id": "b", "n/kind": "talk"}], source="chat with Chiara")
        assert hits(db.search("Chiara said", filters=[["n/kind", "plan"]])) == ["a"]


def test_question_words_alone_are_searched_as_words():
    with notes("the who played here", "nobody came") as db:
        assert hits(db.search("the who")) == ["t0"]


def test_a_question_without_any_known_word_finds_nothing():
    with pumps() as db:
        result = db.search("zebra crossing tomorrow")
        assert (result.hits, result.truncated, result.work_used) == ([], False, 0)


def test_filters_and_attributes_restrict_before_ranking():
    with pumps() as db:
        assert hits(db.search("pump spring cleaning", filters=[["n/kind", "plan"]])) == ["n2"]
        assert hits(db.search("pump spring", text_attributes=["n/title"])) == ["n1"]


def test_one_unit_for_each_fact_that_is_looked_at():
    with pumps() as db:
        assert db.search("pump").work_used == 4
        assert db.search("pump zebra").work_used == 4
        assert db.search("pump seal").work_used == 4
        assert db.search("pump", filters=[["n/kind", "howto"]]).work_used == 6


def test_what_is_far_inside_of_a_long_text_is_found():
    with notes("filler " * 9_000 + "needle", "needles and pins") as db:
        result = db.search("needle haystack")
        assert sorted(hits(result)) == ["t0", "t1"]
        assert snippets(result)["t0"][0].endswith("[needle]")


def test_more_matches_than_are_weighed_are_marked_as_truncated():
    with notes() as db:
        db.transact([{"id": f"e{number}", "note/text": f"green leaf number {number}"} for number in range(300)])
        result = db.search("green tree")
        assert (len(result.hits), result.truncated) == (10, True)


def test_rows_of_system_attributes_do_not_crowd_out_notes():
    with notes() as db:
        for number in range(260):
            db.transact({"id": f"e{number}", "note/n": number}, source="quarry")
        db.transact({"id": "own", "note/text": "the old quarry of the village, far out"})
        assert hits(db.search("quarry pond"))[0] == "own"


def test_what_was_written_since_the_last_search_is_found():
    with notes("one") as db:
        assert hits(db.search("http client")) == []
        db.transact({"id": "kettle/red", "note/text": "RetryingHttpClient must be closed"})
        assert asked(db, ["http client", "kettles"]) == {"http client": ["kettle/red"], "kettles": ["kettle/red"]}


def test_what_was_rolled_back_is_not_remembered():
    with notes("one") as db:
        with db.speculate():
            db.transact({"id": "kettle/red", "note/text": "getUserById"})
            assert asked(db, ["user by id", "kettles"]) == {"user by id": ["kettle/red"], "kettles": ["kettle/red"]}
        assert asked(db, ["user by id", "kettles"]) == {"user by id": [], "kettles": []}


@pytest.mark.parametrize("sources", [["chat-7:12", "chat-7:13"], ["D3/turn 4", "D3/turn 5"], ["letter", "letter"]])
def test_sources_that_count_on_are_one_source(sources):
    with fgraph.connect(":memory:") as db:
        db.transact({"id": "t0", "note/text": "Which colour did you choose for the kitchen?"}, source=sources[0])
        db.transact({"id": "t1", "note/text": "Sage, with a darker trim."}, source=sources[1])
        assert set(hits(db.search("What colour was chosen for the kitchen walls?"))) == {"t0", "t1"}


def test_what_was_excised_is_not_kept_for_later_searches():
    with notes("one") as db:
        db.transact({"id": "secret", "note/text": "theHandshakeWord", "note/emb": {"vector": [1.0]}})
        assert hits(db.search("handshake", vector=[1], vector_attribute="note/emb")) == ["secret"]
        db.excise("secret")
        for kept in (vocabulary.KEPT, vectors.CONTENTS):
            assert db._store.lasting(kept, lambda: "nothing") == "nothing"
            db._store.forget(kept)
        assert hits(db.search("handshake")) == []
