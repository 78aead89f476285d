"""English words whose forms do not follow a rule, one line each: the form that stands for all, then the others.

Left out are forms that are more often another word in notes: `left`, `saw`, `rose`, `shot`, `bound`, `bit`, `ground`.
"""

FORMS = """
arise arose arisen
awake awoke awoken
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
learn learnt
lend lent
lose lost
make made
mean meant
meet met
misunderstand misunderstood
oversee oversaw overseen
override overrode overridden
pay paid
ride rode ridden
ring rang rung
rise risen
run ran
rewrite rewrote rewritten
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
undergo underwent undergone
understand understood
undo undoes undid undone
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
withdraw withdrew withdrawn
write wrote written
die dies died dying
lie lies lied lying
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

GROUPS = [line.split() for line in FORMS.strip().splitlines()]
BASE = {form: base for base, *forms in GROUPS for form in forms}
