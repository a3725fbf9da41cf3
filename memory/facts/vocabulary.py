"""Words by which facts are compared: what means the same, what denies, what may have one value.

English; of facts in other languages only the words themselves and their vectors are compared.
"""

from memory.words import index_words


def _groups(*groups: str) -> dict[str, str]:
    """From each stem of a group to the stem of its first word."""
    first = {group: index_words(group.split()[0])[0] for group in groups}
    return {stem: first[group] for group in groups for stem in index_words(group)}


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
    "afraid fear fears feared scared frightened terrified",
    "long length",
    "wide width",
    "tall height high",
    "heavy weight weighs weigh",
    "age aged",
    "fly flies flight flights flew",
    "allergic allergy allergies",
    "die died dies",
    "wife husband spouse",
    "boss manager supervisor",
    "car automobile",
    "bike bicycle bikes bicycles",
    "autumn fall",
    "holiday vacation holidays vacations",
    "phone telephone cellphone smartphone",
    "lawyer attorney",
    "physician doctor",
    "shop store",
    "employee employees staff",
    "company firm",
    "leave leaves leaving depart departs departing",
    "close closes shut shuts closed",
    "repair repairs fix fixes",
    "choose chooses pick picks",
    "answer answers reply replies response responses respond",
    "postgres postgresql",
    "kubernetes k8s",
    "neovim nvim",
    "repository repo repositories repos",
    "database databases db",
    "configuration config",
    "production prod",
    "development dev",
    "documentation docs",
    "application app",
    "gigabyte gb gigabytes",
    "megabyte mb megabytes",
    "terabyte tb terabytes",
    "minute min mins minutes",
    "memory ram",
    "deploy deploys deployed deployment deployments",
    "release releases released ship ships shipped",
    "commute commutes commuting",
    "rotate rotates rotated rotation",
    "cilantro coriander",
    "aubergine eggplant",
    "football soccer",
    "grey gray",
    "usual usually normally normal generally typically",
    "over above",
    "enabled enable enables activated switchedon",
    "disabled disable disables deactivated switchedoff",
    "child baby",
    "tv television",
    "phd doctorate",
    "main primary",
    "physician doctor",
    "max maximum",
    "badly bad poorly",
    "kilo kilos kg kilogram kilograms",
    "metre metres meter meters",
)


def stems(words: str) -> frozenset[str]:
    """The stems of some words, of synonyms that of the first."""
    return frozenset(SYNONYMS.get(stem, stem) for stem in index_words(words))


STOP = stems(
    "a an the of in on at to for from by with as and or that this these those it its his her their "
    "he she they him them s is are was were be been being am do does did done has have had having "
    "will would shall should can could may must also too very really just only so then there here "
    "any some own now currently still already again always going gonna who whom which when where "
    "about into onto per between both all such than up off out over since"
)
LIGHT = stems(
    "user work works working decide decided use uses used using want wants prefer prefers "
    "better form like parent place listen listens run runs go goes keep keeps allow allowed "
    "own owns agree agreed plan planned schedule scheduled set settle settled number numbered "
    "numbers happen happens hail hails exercise exercises originally occur occurs come comes time "
    "times usual "
    "project stay possess hold "
    "holds held send sends sent attend attends practise practises practice "
    "every take put until job jobs year years old live lives living home move moved year years "
    "good well "
    "become became get got take takes "
)
"""Words that carry little where others are the same."""
NO_NAMES = STOP | stems("user gb mb tb ram cpu ssd kg km")
DISTINCT = stems("live work own possess use rent stay")
"""Of those the ones that tell what somebody does with a thing."""
CALLED = stems("called")
NEGATIVE = stems("not no never nobody none nothing neither nor without cannot dislike")
CEASED = stems(
    "stop sold sell left die divorced divorce cancelled canceled cancel dropped abandoned "
    "lost broke gave ended"
)
"""Verbs by which something that was so no longer is."""
GONE = stems("die cancelled canceled cancel dropped abandoned ended")
"""Of those the ones after which whom or what they are said of is no more."""
CHANGED = stems(
    "moved move postponed postpone rescheduled changed change switched switch instead now anymore "
    "raised lowered increased reduced renamed replaced updated became new upgraded downgraded "
    "migrated rewritten"
)
LIKING = stems("like drink drinks eat eats prefer stand wish")
OWNING = stems("have own possess adopt buy get drive keep ride possess die sold sell")
HOME = stems("home flat house")
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDERED = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth"
COUNTED = {word: str(value) for value, word in enumerate(_COUNTED.split())}
ORDINALS = {word: str(value) for value, word in enumerate(_ORDERED.split())}
NUMBERS = COUNTED | {word: str(10 * n) for n, word in enumerate(_TENS.split(), start=2)}
