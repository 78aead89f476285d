"""How much each kind of evidence counts, in one table.

Chosen on tests/search/questions/tuned.txt and looked at again on conversations; none of them is sharp: a third more or
less moves a handful of questions. The order within each group is what matters.
"""

# How well a word of a text meets a word of the question.
SAME = 1.0
STEM = 0.9  # another form: `replied` for `reply`; another way of writing a date
RELATED = 0.75  # the same beginning, in scripts without English endings
ROOT = 0.6  # a derived word: `migration` for `migrate`
LONGER = 0.45  # a longer word with the same beginning
SYNONYM = 0.4  # another word for it: `repo` for `repository`; less than any form of the word itself
ALIKE = 0.6  # share of the longer word that two related words have in common

# BM25, with two additions.
SATURATION = 0.8  # k1: how soon more of the same word stops counting
LENGTH = 0.3  # b: how much a longer text has to hold more
COVERAGE = 0.6  # share of the score that depends on how much of the question is met
NEAR = 0.3  # share of a rarer word's weight that is added when two words of the question stand together

# How much a word counts that stands in these places instead of in the fact itself.
NAME = 0.6  # the name of the entity
ATTRIBUTE = 0.3
SIBLING = 0.8  # another fact of the entity
STATED = 0.5  # who stated it, and the source
LINKED = 0.2  # an entity that it is linked with
# The notes before and after: what was just said explains a note better than what comes next.
BESIDE = {-3: 0.25, -2: 0.5, -1: 0.6, 1: 0.3, 2: 0.1}
ANSWER = 1.6  # times that where the note just before asks something: then this one answers it
UNSOURCED = 0.5  # share of that for notes without a source, which may have nothing to do with each other

ASKS = 0.75  # share of its score that a note keeps which ends in a question: what is looked for is an answer
NEWEST = 0.01  # how much of its score the newest candidate gains over the oldest
