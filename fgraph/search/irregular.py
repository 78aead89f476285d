"""English words whose forms do not follow a rule, one line each: the form that stands for all, then the others.

Left out are forms that are more often another word in notes; DOUBTFUL has them. Verbs with a syllable in front of one
of these follow it: `rewrote`, `overridden`, `undone`.
"""

FORMS = """
agree agrees agreed
arise arose arisen
bear borne
become became
begin began begun
bend bent
bite bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
fight fought
find found
flee fled
fly flew flown
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
free frees freed
freeze froze frozen
give gave given
go goes went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
leap leapt
lay laid
learn learnt
lend lent
lose lost
make made
mean meant
meet met
pay paid
ride rode ridden
ring rang rung
rise risen
run ran
say said
see seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoken
speed sped
spell spelt
spend spent
spill spilt
spin spun
spoil spoilt
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
strike struck
strive strove striven
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
throw threw thrown
do does did done
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
write wrote written
die dies died dying
lie lies lied lying
light lit
tie ties tied tying
child children
criterion criteria
foot feet
goose geese
half halves
index indices
knife knives
loaf loaves
man men
matrix matrices
mouse mice
person people
shelf shelves
thief thieves
tooth teeth
vertex vertices
wife wives
wolf wolves
woman women
db dbs
id ids
pr prs
vm vms
"""

# A word, and a form of it that is more often another word: the word finds it as it finds a synonym, and not the other
# way round.
DOUBTFUL = {
    "bear": "bore",
    "bind": "bound",
    "feel": "felt",
    "grind": "ground",
    "lead": "led",
    "leave": "left",
    "rise": "rose",
    "see": "saw",
    "shoot": "shot",
    "speak": "spoke",
    "think": "thought",
    "wind": "wound",
}
PREFIXES = ("re", "over", "under", "out", "un", "mis", "with")

FORMS_OF = {line.split()[0]: tuple(line.split()) for line in FORMS.strip().splitlines()}
BASE_OF = {form: base for base, forms in FORMS_OF.items() for form in forms}
