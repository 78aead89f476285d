"""English words that are asked for one another, one group a line: everyday life, then the work with software.

Groups are closed and small: words that mean the same in most notes. A word may stand in several groups.
"""

from fgraph.search import stems

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
friend buddy pal mate
boss manager supervisor
colleague coworker teammate
job profession occupation career
doctor physician
film movie
photo photograph picture
gift present
holiday vacation
trip journey travel
car vehicle automobile
bike bicycle
motorcycle motorbike
flat apartment
shop store
buy purchase
begin start
end finish complete
repair fix mend
ill sick
illness disease sickness
injure injury hurt
pain ache
surgery operation
medicine medication
die death dead
birth born
marry marriage wedding
move relocate
quit resign
hire recruit employ
reply answer respond response
help assist support
happy glad
sad unhappy upset
afraid scared frightened terrified fear
angry furious mad
tired exhausted
big large huge
small little tiny
quick fast rapid
price cost charge
prize award
contest competition tournament
dinner supper
hobby pastime
course class lesson workshop
teach instruct
teacher instructor
student pupil
university college
exam examination
book novel
story tale
song tune
garden yard
dog puppy
cat kitten
street road
town city
country nation
beach coast shore seaside
forest woods
sale sell
fly flight
live life
speak speech talk
decide decision
choose choice pick select
advise advice
succeed success
grow growth
believe belief
arrive arrival
describe description
permit permission allow
weigh weight
high height
long length
deep depth
wide width
strong strength
call name nickname
stay accommodation
error exception
bug defect
fail failure
delete remove erase
add insert
config configuration settings
repo repository
database db
directory folder dir
function func
argument parameter arg param
variable var
environment env
production prod
authentication auth
authorization authz
password passphrase
documentation docs
dependency dep
application app
kubernetes k8s
postgres postgresql
javascript js
typescript ts
deploy release ship
administrator admin
message msg
request req
temporary temp tmp
maximum max
minimum min
limit bound cap threshold
identifier id
ticket issue
customer client
invoice bill
schedule timetable
credential secret
backup snapshot
"""


def of(word: str) -> tuple[str, ...]:
    """What a word is asked for instead of, whatever its form: (`repo`,) for `repositories`."""
    return _OTHERS.get(stems.stem(word), ())


def _by_stem() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in map(str.split, GROUPS.strip().splitlines()):
        for word in group:
            found.setdefault(stems.stem(word), {}).update(dict.fromkeys(other for other in group if other != word))
    return {stem: tuple(others) for stem, others in found.items()}


_OTHERS = _by_stem()
