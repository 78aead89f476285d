"""English words that are asked for one another, one group a line: everyday life, then the work with software.

Groups are closed and small: words that mean the same in most notes. A word may stand in several groups.
"""

from fgraph.search import irregular, stems

GROUPS = """
father dad daddy papa
mother mum mom mummy mommy mama
grandmother grandma granny nana
grandfather grandpa granddad grandad
child kid
baby newborn infant
wife spouse
husband spouse
boyfriend partner
girlfriend partner
boss manager supervisor
colleague coworker teammate
job profession occupation career
doctor physician
film movie
photo photograph picture
holiday vacation
trip journey travel
bike bicycle
motorcycle motorbike
buy purchase
begin start
repair fix mend
ill sick
illness disease sickness
injure injury hurt
pain ache
medicine medication
die death dead
birth born
move relocate
hire recruit employ
reply answer respond response
happy glad
sad unhappy upset
afraid scared frightened terrified fear
angry furious
big large
small little tiny
quick fast rapid
prize award
contest competition tournament
dinner supper
hobby pastime
teach instruct
teacher instructor
student pupil
university college
exam examination
garden yard
dog puppy
cat kitten
street road
town city
country nation
beach coast shore seaside
forest woods
sale sell
choose select pick
deploy release ship
outage downtime incident
email mail
use usage
own owner
pay payment
expire expiry
tls ssl
flag toggle
colour color
licence license
behaviour behavior
favourite favorite
price cost
finish complete
friend buddy pal
marry wedding
permission allow
temporary tmp
application app
kubernetes k8s
help assist
limit threshold
fly flight
decide decision
believe belief
describe description
weigh weight
high height
deep depth
wide width
strong strength
error exception
bug defect
delete remove erase
add insert
repo repository
database db
directory folder dir
function func
argument parameter arg param
variable var
environment env
production prod
password passphrase
documentation docs
dependency dep
postgres postgresql
javascript js
typescript ts
administrator admin
message msg
request req
maximum max
identifier id
ticket issue
invoice bill
schedule timetable
credential secret
backup snapshot
"""


def of(word: str) -> tuple[str, ...]:
    """What a word is asked for instead of, whatever its form: (`repo`,) for `repositories`."""
    return _OTHERS.get(stems.stem(stems.base(word)), ())


def _by_stem() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in map(str.split, GROUPS.strip().splitlines()):
        for word in group:
            found.setdefault(stems.stem(word), {}).update(dict.fromkeys(other for other in group if other != word))
    for word, form in irregular.DOUBTFUL.items():
        found.setdefault(stems.stem(word), {})[form] = None
    return {stem: tuple(others) for stem, others in found.items()}


_OTHERS = _by_stem()
