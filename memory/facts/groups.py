"""Groups of words by which two values are told apart: what excludes what, what is of which kind.

English, by stems.
"""

from memory.facts.vocabulary import stems

COLOURS = stems(
    "red blue green yellow black white grey brown orange purple pink silver golden beige"
)
MARITAL = stems("single married engaged divorced widowed separated")
DIET = stems("vegetarian vegan pescatarian omnivore")
SIZES = stems("short long small large big brief detailed concise lengthy terse verbose thorough")
HANDED = stems("lefthanded righthanded")
LANGUAGES = stems(
    "english french german spanish italian portuguese dutch polish russian turkish arabic hindi "
    "chinese japanese korean swedish danish norwegian finnish greek czech slovenian"
)
"""What a text is written in, one at a time; people speak several."""
DAYS = stems("monday tuesday wednesday thursday friday saturday sunday")
DAYS |= stems("mondays tuesdays wednesdays thursdays fridays saturdays sundays")
MONTH_WORDS = stems(
    "january february march april june july august september october november december"
)
TIMES = DAYS | stems(
    "january february march april may june july august september october november december "
    "morning noon afternoon evening night week month year tomorrow"
)
EXCLUSIVE = (
    MARITAL,
    DIET,
    HANDED,
    stems("fulltime parttime"),
    stems("nightshift dayshift"),
    stems("remote onsite"),
    stems("employed unemployed"),
    stems("enabled disabled"),
    stems("public private"),
    stems("alive dead"),
    stems("introvert extrovert"),
    stems("mandatory optional"),
    stems("required optional"),
    stems("allowed forbidden"),
    stems("rent possess"),
    stems("badly well"),
    stems("succeeds fails"),
    stems("synchronous asynchronous"),
)
"""Of each group one holds at a time."""
OF_ONE_THING = (
    COLOURS,
    stems("open closed"),
    SIZES,
    stems("dark light"),
    stems("metric imperial"),
    stems("formal informal"),
    stems("morning evening"),
    stems("early late"),
    stems("hot cold"),
    stems("manual automatic"),
    stems("monolith microservices"),
    stems("serif sans"),
    stems("high low"),
    stems("free paid"),
)
"""Of each group one holds at a time of one thing; somebody may have a red car and a blue one."""
APART = (
    stems("left right"),
    stems("leftside rightside"),
    stems("north south east west"),
    stems("lend lent borrow borrowed"),
    stems("buy bought sell sold"),
    stems("start finish end stop"),
    stems("open close"),
    stems("teach taught learn"),
    stems("send sent receive received"),
    stems("read write wrote"),
    stems("win won lose lost"),
    stems("arrive leave"),
    stems("import export"),
    stems("upload download"),
    stems("require support"),
    stems("max minimum"),
    stems("mother father sister brother son daughter wife uncle aunt cousin friend neighbour boss"),
    stems("doctor dentist lawyer therapist"),
    stems("red white green black"),
)
"""Of each group either makes another fact, though both may hold."""
OPPOSED = (
    ("on", "off"),
    ("for", "with"),
    ("for", "against"),
    ("to", "from"),
    ("in", "out"),
    ("before", "after"),
    ("over", "under"),
    ("above", "below"),
    ("more", "less"),
    ("most", "least"),
    ("max", "minimum"),
    ("with", "without"),
    ("first", "last"),
)
"""Small words of which either makes another fact."""
KINDS = {
    kind: stems(members)
    for kind, members in {
        "pet": "pet cat dog puppy kitten hamster rabbit parrot budgie tortoise ferret",
        "child": "child son daughter",
        "sibl": "sibling brother sister",
        "alcohol": "alcohol wine beer whisky whiskey vodka gin rum champagne prosecco cocktail",
        "caffein": "caffeine coffee espresso cappuccino",
        "meat": "meat beef pork chicken steak ham bacon sausage lamb burger schnitzel",
        "fish": "fish salmon tuna sushi shrimp prawn seafood",
        "dairi": "dairy milk cheese yogurt yoghurt butter",
        "egg": "egg omelette",
    }.items()
}
"""By the stem of a kind's name the stems of what is of that kind."""
COUNTRIES = stems(
    "germany france spain italy portugal austria switzerland belgium netherlands holland england "
    "scotland wales ireland britain uk usa us america canada mexico brazil argentina chile peru "
    "colombia japan china india korea thailand vietnam indonesia australia zealand poland czechia "
    "slovakia hungary romania bulgaria greece turkey croatia slovenia serbia sweden norway denmark "
    "finland iceland estonia latvia lithuania ukraine russia egypt morocco kenya nigeria ghana "
    "israel lebanon iran pakistan bangladesh philippines singapore luxembourg europe asia africa "
    "bavaria california texas florida tuscany provence normandy brittany catalonia andalusia "
    "united "
    "states kingdom new south north west east"
)
NO_EMPLOYER = (
    stems(
        "home night nights weekend weekends least myself himself herself themselves years months "
        "weeks "
        "hours long free fun money living day days office clients school"
    )
    | TIMES
)
"""What may stand behind "works at" or "works for" without being an employer."""
TOOLS = stems(
    "slack teams discord zoom kubernetes docker postgres mysql sqlite mongodb redis github gitlab "
    "bitbucket jira linear notion aws azure gcp cloud rust go python java kotlin typescript linux "
    "windows macos ubuntu debian react vue svelte angular django flask fastapi terraform "
    "production "
    "staging peace poverty fear harmony town rent station suburbs countryside city"
)
"""Where a team may move without living there."""
ONE_VALUED = stems(
    "favourite colour address email boss manager phone number licence password birthday deadline "
    "due budget port size version zone theme husband wife partner employer salary rent price "
    "branch database host capital height weight born editor framework doctor dentist landlord car "
    "surname nickname native title limit rate currency provider shell browser laptop timezone os "
    "lead "
    "main primary default current only birthplace hometown nationality citizenship religion "
    "therapist accountant bank insurance lawyer supervisor captain chair mentor retention salary "
    "level coverage timeout threshold priority status licence plan keyboard operating breakfast "
    "goal"
)
"""Nouns of which there is mostly one, so that another value takes the place of the first."""
THINGS = stems(
    "car phone laptop keyboard computer boss husband partner doctor dentist therapist accountant "
    "landlord lawyer mentor captain chair employer bank host capital lead"
)
"""Of those the ones of which much may be told: only another name takes the place of a name."""
ENGINES = stems("electric diesel petrol hybrid gas")
MARRIED = stems(
    "married wife husband spouse engaged partner boyfriend girlfriend relationship dating"
)
PEOPLE = stems(
    "mother father dad mum parent sister brother sibling son daughter child wife husband partner "
    "boyfriend girlfriend uncle aunt cousin nephew niece grandmother grandfather friend neighbour "
    "colleague boss flatmate roommate team customer"
)
"""Whose doings are not the user's."""
PROFESSIONS = stems(
    "accountant actor analyst architect artist attorney author baker barber barista bartender "
    "biologist bookkeeper builder butcher carpenter cashier chef chemist clerk coach consultant "
    "cook dentist designer developer director doctor driver economist editor electrician engineer "
    "farmer firefighter florist gardener hairdresser journalist judge lawyer lecturer librarian "
    "manager mechanic midwife musician nurse painter paramedic pharmacist photographer physician "
    "physicist pilot plumber policeman professor programmer psychologist receptionist researcher "
    "salesman scientist secretary singer surgeon tailor teacher technician therapist translator "
    "vet "
    "waiter waitress writer"
)
PLACES = stems(
    "office headquarters hq shop server datacenter school clinic warehouse factory studio hotel "
    "wedding conference meeting workshop party concert event"
)
"""What stands or takes place in one place."""
UNITS = stems("hour day week month year")
LIKES = stems("like prefer want dislike plan hope intend")
ADVERBS = stems(
    "often sometimes usually always regularly really mostly currently still now rarely hardly"
)
GENERIC = stems(
    "server service system environment machine database team company project app every new old"
)
"""Words that may be left out of whom or what is spoken of."""
EVENTS = stems(
    "meeting flight appointment interview exam party wedding demo review presentation launch "
    "standup retrospective workshop conference deadline release concert dinner lunch train "
    "delivery "
    "surgery trial match"
)
"""What takes place once, or at one time."""
MANY_VALUED = stems(
    "support speak know play like love visit read watch collect learn understand follow teach own "
    "have include contain see meet"
)
"""Verbs of which one more thing takes nothing's place."""
USING = stems("use run deploy upgraded updated migrated switched moved changed downgraded")
"""Verbs of what stands beside a version."""
ONE_AT_A_TIME = stems("study major")
"""Verbs of which a person does one thing at a time."""
MANY = stems(
    "cat dog pet son daughter child brother sister friend colleague neighbour cousin aunt uncle "
    "hobby member employee person student book film server client customer project horse bird fish"
)
"""Nouns of which there may be several: another name is another one."""
