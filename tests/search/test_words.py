"""How texts are cut into words, and questions into terms."""

import pytest

from fgraph import limits
from fgraph.search import irregular, question, stems, synonyms, weights, words
from fgraph.search.terms import Term

SAME_ROOT = [
    "reply replies replied replying",
    "run runs running runner",
    "use uses used using",
    "plan plans planned planning planner",
    "deploy deploys deployed deployment deployments",
    "migrate migrates migrated migrating migration migrations",
    "complete completed completion",
    "fail fails failed failing failure",
    "write writes writing written",
    "control controlled controlling controller",
    "box boxes",
    "process processes processing processed",
    "adopt adopted adopting adoption",
    "happy happily happiness",
]
IRREGULAR = [
    "go goes went gone",
    "write wrote written",
    "die dies died dying",
    "child children",
    "person people",
    "id ids",
]
OTHER_ROOT = ["planet plant plan", "universe unit", "string sing", "rested rest rust", "mass mast"]


@pytest.mark.parametrize("group", SAME_ROOT)
def test_forms_of_a_word_share_a_root(group):
    assert len({stems.root(word) for word in group.split()}) == 1


@pytest.mark.parametrize("group", IRREGULAR)
def test_irregular_forms_of_a_word_are_known_by_any_of_them(group):
    forms = tuple(group.split())
    assert {stems.irregular_forms(form) for form in forms} == {forms}


def test_regular_forms_of_an_irregular_word_know_its_irregular_ones():
    assert stems.irregular_forms("writing") == ("write", "wrote", "written")
    assert stems.irregular_forms("persons") == ("person", "people")
    assert stems.irregular_forms("roses") == ()


def test_verbs_with_a_syllable_in_front_follow_the_verb():
    assert stems.irregular_forms("rebuilt") == ("rebuild", "rebuilt")
    assert stems.irregular_forms("overwriting") == ("overwrite", "overwrote", "overwritten")
    assert stems.irregular_forms("redo") == ("redo", "redoes", "redid", "redone")
    assert stems.irregular_forms("understood") == ("understand", "understood")
    assert stems.irregular_forms("reading") == ()


def test_the_table_of_irregular_words_names_each_form_once():
    forms = [form for group in irregular.FORMS_OF.values() for form in group]
    assert len(forms) == len(set(forms)) == len(irregular.BASE_OF)
    assert all(form.isascii() and form.islower() for form in forms)
    assert not irregular.BASE_OF.keys() & set(irregular.DOUBTFUL.values())


def test_synonyms_go_both_ways_whatever_the_form():
    assert synonyms.of("repo") == ("repository",)
    assert synonyms.of("repositories") == ("repo",)
    assert synonyms.of("spouses") == ("wife", "husband")
    assert synonyms.of("bought") == ("purchase",)
    assert synonyms.of("turbine") == ()


def test_synonyms_are_not_forms_of_one_word():
    """Such forms meet one another anyhow, and better."""
    groups = [line.split() for line in synonyms.GROUPS.strip().splitlines()]
    assert all(len({stems.root(word) for word in group}) == len(group) > 1 for group in groups)


# word of a question, word of a text, how well they meet
GRADES = [
    ("write", "write", weights.SAME),
    ("write", "writes", weights.STEM),
    ("write", "wrote", weights.STEM),
    ("wrote", "writing", weights.STEM),
    ("die", "died", weights.STEM),
    ("roses", "rose", weights.STEM),
    ("ids", "id", weights.STEM),
    ("fail", "failure", weights.ROOT),
    ("commit", "committed", weights.STEM),
    ("call", "calls", weights.STEM),
    ("calls", "call", weights.STEM),
    ("try", "tried", weights.STEM),
    ("tried", "try", weights.STEM),
    ("free", "freed", weights.STEM),
    ("rebuild", "rebuilt", weights.STEM),
    ("wrote", "writes", weights.STEM),
    ("broke", "breaking", weights.STEM),
    ("run", "runner", weights.ROOT),
    ("safe", "safely", weights.ROOT),
    ("leaving", "left", weights.SYNONYM),
    ("repositories", "repo", weights.SYNONYM),
    ("buy", "purchased", weights.SYNONYM),
    ("purchase", "bought", weights.SYNONYM),
    ("k8s", "kubernetes", weights.SYNONYM),
    ("config", "configs", weights.STEM),
    ("config", "set", 0.0),
    ("vehicle", "care", 0.0),
    ("app", "product", 0.0),
    ("commit", "comment", 0.0),
    ("come", "comment", 0.0),
    ("people", "personal", 0.0),
    ("left", "leaves", 0.0),
    ("minimum", "mining", 0.0),
]


@pytest.mark.parametrize(("asked", "word", "grade"), GRADES)
def test_how_well_a_word_meets_another(asked, word, grade):
    assert Term(asked).grade(word) == grade


@pytest.mark.parametrize("group", OTHER_ROOT)
def test_other_words_do_not(group):
    assert len({stems.root(word) for word in group.split()}) > 1


def test_numbers_and_short_words_stay_as_they_are():
    assert [stems.root(word) for word in ("bus", "is", "2026", "sha256", "été")] == [
        "bus",
        "is",
        "2026",
        "sha256",
        "été",
    ]


def test_the_forms_of_a_short_word_hold_its_real_ones():
    assert {"run", "runs", "running", "runner"} <= set(stems.forms("run"))
    assert {"use", "uses", "used", "using"} <= set(stems.forms("use"))
    assert {"call", "calls", "called", "calling", "caller"} <= set(stems.forms("call"))
    assert {"copy", "copies", "copied", "copying"} <= set(stems.forms("copying"))
    assert {"pass", "passes", "passed", "passing"} <= set(stems.forms("pass"))
    assert {"tree", "trees"} <= set(stems.forms("tree"))
    assert {"try", "tries", "tried", "trying"} <= set(stems.forms("try"))
    assert {"key", "keys"} <= set(stems.forms("key"))


PIECES = {
    "getUserById": ("get", "user", "by", "id"),
    "user_input": ("user", "input"),
    "HTTPServer2": ("http", "server2"),
    "__init__": ("init",),
    "Café": ("cafe",),
    "cafe\u0301": ("cafe",),
    "Йод": ("йод",),
    "用pytest跑测试": ("用", "pytest", "跑测试"),
    "ログをS3に": ("ログ", "を", "s3", "に"),
    "हिन्दी": ("हिन्दी",),
}


@pytest.mark.parametrize("run", PIECES)
def test_runs_are_taken_apart(run):
    assert words.RUN.findall(run) == [run]
    assert words.pieces(run) == PIECES[run]


def terms(text: str) -> list[str]:
    return [term.text for term in question.read(text).terms]


TERMS = {
    "What should I run before I say a change is done?": ["run", "before", "say", "change"],
    "the who": ["the", "who"],
    "did the WHO call IT": ["who", "call", "it"],
    "pump pump PUMP": ["pump"],
    "getUserById": ["get", "user", "by", "id", "getuserbyid"],
    "数据库": ["数据", "据库"],
    "バックアップは何時": ["バック", "ックア", "クアッ", "アップ", "何時"],
    "どこにある": ["どこ", "こに", "にあ", "ある"],
    "المكتبة": ["مكتب"],
    "!!! 🙂": [],
}


@pytest.mark.parametrize("text", TERMS)
def test_a_question_becomes_terms(text):
    assert terms(text) == TERMS[text]


def test_a_long_text_asks_for_its_first_terms():
    assert terms(" ".join(f"w{number}" for number in range(99))) == [f"w{n}" for n in range(limits.SEARCH_TERMS)]


def grade(text: str, word: str) -> float:
    return dict(question.read(text).met_by(word)).get(0, 0.0)


def test_the_nearer_a_word_is_to_the_term_the_more_it_counts():
    grades = [grade("migrate", word) for word in ("migrate", "migrated", "migration", "migratetool", "mighty")]
    assert grades == sorted(grades, reverse=True)
    assert grades[0] == 1.0
    assert grades[-1] == 0.0


def test_a_whole_identifier_meets_its_parts_as_well():
    asked = question.read("parseConfig")
    assert dict(asked.met_by("parseconfig")) == {0: 1.0, 1: 1.0, 2: 1.0}
    assert dict(asked.met_by("parse_config")) == {0: 1.0, 1: 1.0, 2: 1.0}
    assert dict(asked.met_by("config")) == {1: 1.0}


WRITTEN = [
    "on 7 May 2023 she left",
    "on May 7th, 2023 she left",
    "log of 2023-05-07: she left",
    "7. May 2023, she left",
]


@pytest.mark.parametrize("text", WRITTEN)
@pytest.mark.parametrize("asked", ["Who left on 7 May 2023?", "May 7, 2023", "2023-05-07", "the 7th of May 2023"])
def test_a_date_is_met_however_it_is_written(asked, text):
    asked = question.read(asked)
    met = {index for run in words.RUN.findall(text) for index, _ in asked.met_by(run)}
    assert {asked.terms[index].text for index in met} - {"left"} == {term.text for term in asked.terms} - {"left"}


def test_months_are_met_by_their_short_names_and_by_no_other_month():
    assert grade("October", "oct") == grade("oct", "october") == 0.9
    assert grade("in June", "july") == grade("in June", "juniper") == 0.0


def test_may_is_a_month_where_it_is_written_as_one():
    assert terms("What happened in May?") == ["happened", "may"]
    assert terms("May I use the printer?") == ["use", "printer"]
    assert terms("what may break") == ["break"]


def test_numbers_are_met_without_zeros_and_as_ordinals():
    assert [grade("7", word) for word in ("7", "07", "7th", "70", "17")] == [1.0, 0.9, 0.9, 0.0, 0.0]
