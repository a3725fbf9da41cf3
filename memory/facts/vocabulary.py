"""Words by which facts are compared: what means the same, what denies, what may have one value.

English; of facts in other languages only the words themselves and their vectors are compared.
"""

from memory.words import index_words


def stems(words: str) -> frozenset[str]:
    """The stems of some words."""
    return frozenset(index_words(words))


def _groups(*groups: str) -> dict[str, str]:
    """From each stem of a group to the stem of its first word."""
    first = {group: index_words(group.split()[0])[0] for group in groups}
    return {stem: first[group] for group in groups for stem in stems(group)}


SYNONYMS = _groups(
    "mother mum mom mama mummy",
    "father dad papa daddy",
    "child children kid kids",
    "call called name named names",
    "begin begins began starts start started begun",
    "stop stopped quit quits quitting cease ceased",
    "like likes love loves loved enjoy enjoys adore adores",
    "dislike dislikes hate hates detest detests",
    "film films movie movies",
    "due deadline",
    "born birth birthday birthplace",
    "email mail e-mail",
    "euro euros eur",
    "flat apartment",
    "every daily each",
    "purchase bought buy buys buying purchased",
    "sold sell sells selling",
    "married wed marries",
    "colour color",
    "favourite favorite",
    "test tests testing",
    "licence license",
    "directly direct",
    "afraid fear fears feared scared",
    "long length",
    "wide width",
    "tall height high",
    "heavy weight weighs weigh",
    "age aged",
    "fly flies flight flights flew",
    "allergic allergy allergies",
    "die died dies dead",
)
STOP = stems(
    "a an the of in on at to for from by with as and or that this these those it its his her their "
    "he she they him them s is are was were be been being am do does did done has have had having "
    "will would shall should can could may must also too very really just only so then there here "
    "any some own now currently still already again always going gonna who whom which when where "
    "about into onto per between both all such than up off out over since"
)
LIGHT = stems(
    "user work works working decide decided team use uses used using want wants prefer prefers "
    "better form like person parent place listen listens run runs go goes keep keeps allow allowed "
    "own owns agree agreed plan planned schedule scheduled set settle settled number numbered "
    "numbers job jobs year years old live lives living home move moved year years good well "
    "become became get got take takes "
)
"""Words that carry little where others are the same."""
NEGATIVE = stems("not no never nobody none nothing neither nor without cannot dislike")
CEASED = stems(
    "stop sold sell left die divorced divorce cancelled canceled cancel dropped abandoned "
    "lost broke gave ended"
)
"""Verbs by which something that was so no longer is."""
CHANGED = stems(
    "moved move postponed postpone rescheduled changed change switched switch instead now anymore "
    "raised lowered increased reduced renamed replaced updated became new"
)
LIKING = stems("like drink drinks eat eats prefer stand wish")
OWNING = stems("have own drive keep ride possess die sold sell")
HOME = stems("home flat house")
COLOURS = stems(
    "red blue green yellow black white grey gray brown orange purple pink silver golden beige"
)
MARITAL = stems("single married engaged divorced widowed separated")
DIET = stems("vegetarian vegan pescatarian omnivore")
SIZES = stems("short long small large big brief detailed")
HANDED = stems("lefthanded righthanded")
LANGUAGES = stems(
    "english french german spanish italian portuguese dutch polish russian turkish arabic hindi "
    "chinese japanese korean swedish danish norwegian finnish greek czech slovenian"
)
"""What a text is written in, one at a time; people speak several."""
DAYS = stems("monday tuesday wednesday thursday friday saturday sunday")
EXCLUSIVE = (COLOURS, MARITAL, DIET, SIZES, HANDED)
"""Of each group one holds at a time."""
ONE_VALUED = stems(
    "favourite colour address email boss manager phone number licence password birthday deadline "
    "due budget port size version zone theme husband wife partner employer salary rent price "
    "branch database host capital height weight born editor framework doctor dentist landlord car "
    "surname nickname title limit rate currency provider"
)
"""Nouns of which there is mostly one, so that another value takes the place of the first."""
MANY_VALUED = stems(
    "support speak know play like love visit read watch collect learn understand follow teach own "
    "have include contain see meet"
)
"""Verbs of which one more thing takes nothing's place."""
ONE_AT_A_TIME = stems("study major")
"""Verbs of which a person does one thing at a time."""
MANY = stems(
    "cat dog pet son daughter child brother sister friend colleague neighbour cousin aunt uncle "
    "hobby book film server client customer project horse bird fish"
)
"""Nouns of which there may be several: another name is another one."""
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
_ORDERED = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth"
COUNTED = {word: str(value) for value, word in enumerate(_COUNTED.split())}
ORDINALS = {word: str(value) for value, word in enumerate(_ORDERED.split())}
NUMBERS = {**COUNTED, "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50"}
