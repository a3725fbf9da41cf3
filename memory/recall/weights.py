"""What each feature weighs, in one place, and how that was found.

Weights are those of a softmax over the candidates of each question, fitted to the turns that answer
it; `benchmarks/recall_weights.py` prints them. Each may speak only on the side of zero that makes
sense for it: what changed sides between conversations, or brought nothing, was left out.

`AMONG_PEOPLE` is for talks of people who are named, and was learned on the first five conversations
of LoCoMo. Learned on four conversations and measured on the fifth they find 79.7 % at 10, 86.4 %
within 1,000 tokens and 91.7 % within 2,000; learned on all five 79.8, 86.7 and 91.7; without
vectors 77.2, 81.4 and 85.1.

`WITH_ASSISTANT` is for all other talks. It was learned on the same conversations as a user would
have them with an assistant, and on four users' chats of another kind (`benchmarks/chats`), each
question of which counts twice, with some of them in German and French and some amid long pasted
texts: without these, which the script does not make, length weighs so much against a passage that
what answers amid a paste is found no better than by FTS5. What was learned on LoCoMo alone found
less there than vectors alone did: an assistant's long answers have many of a question's words, and
numbers in their lists.
The weight of a text's length is that of the other set, since the requests of those chats are short
by their making.

Those of `CHOSEN` could not be learned there: that talk knows no facts and no pins.
"""

AMONG_PEOPLE_FOUND: dict[str, float] = {
    "coverage": 3.52,
    "cosine": 4.07,
    "near_cosine": 1.97,
    "near_bm25": 0.49,
    "far_bm25": 1.99,
    "answers_bm25": 2.50,
    "episode_bm25": 3.70,
    "episode_cosine": 3.74,
    "speaker": 1.99,
    "dates": 4.91,
    "when": 3.64,
    "number": 6.15,
    "length": 4.24,
    "question": -0.50,
}
WITH_ASSISTANT_FOUND: dict[str, float] = {
    "matched": 3.89,
    "cosine": 5.15,
    "near_cosine": 2.63,
    "near_bm25": 0.35,
    "far_bm25": 0.30,
    "answers_bm25": 1.89,
    "episode_bm25": 1.77,
    "episode_cosine": 5.44,
    "speaker": 2.26,
    "dates": 4.37,
    "when": 3.39,
    "number": 1.44,
    "asks": -1.88,
    "wordy": -0.69,
}
CHOSEN: dict[str, float] = {
    "recency": 0.3,
    "latest": 1.0,
    "importance": 1.0,
    "pinned": 0.5,
    "fact": 1.0,
    "summary": -1.0,
    "content": -1.0,
}
LONG = -1.5
"""Found on LoCoMo's talk with answers made long by others' sentences."""
AMONG_PEOPLE = {**AMONG_PEOPLE_FOUND, **CHOSEN, "long": LONG}
WITH_ASSISTANT = {
    **WITH_ASSISTANT_FOUND,
    **CHOSEN,
    "length": AMONG_PEOPLE_FOUND["length"],
}

PARTS: dict[str, tuple[str, ...]] = {
    "words": ("coverage", "matched"),
    "meaning": ("cosine",),
    "neighbours": ("near_cosine", "near_bm25", "far_bm25", "answers_bm25"),
    "episode": ("episode_bm25", "episode_cosine"),
    "speaker": ("speaker",),
    "dates": ("dates", "when"),
    "form": ("number", "length", "question", "asks", "long", "wordy", "fact", "summary", "content"),
    "recency": ("recency", "latest"),
    "importance": ("importance", "pinned"),
}
"""The features by the names that people read."""
PART_OF = {feature: part for part, features in PARTS.items() for feature in features}
