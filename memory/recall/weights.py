"""What each feature weighs, in one place, and how that was found.

Those of `FOUND` are a softmax over the candidates of each question, fitted to the turns that
answer it, on the first five conversations of LoCoMo: `benchmarks/recall_weights.py` prints them.
Each may speak only for a passage (a question only against one): what changed sides between
conversations, or brought nothing there, was left out. Learned on four conversations and measured on
the fifth they find 79.7 % at 10, 86.4 % within 1,000 tokens and 91.7 % within 2,000; learned on all
five 79.8, 86.7 and 91.7; with the names taken out and the questions of a user to an assistant 79.9,
86.7 and 91.8; without vectors 77.2, 81.4 and 85.1.
Those of `CHOSEN` could not be learned there: that talk knows no facts, no pins and no long answers.
The penalty for length was tried on the same talk with answers made long by others' sentences.
"""

FOUND: dict[str, float] = {
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
CHOSEN: dict[str, float] = {
    "long": -1.5,
    "recency": 0.3,
    "latest": 1.0,
    "importance": 1.0,
    "pinned": 0.5,
    "fact": 1.0,
    "summary": -1.0,
    "content": -1.0,
}
WEIGHTS = {**FOUND, **CHOSEN}

PARTS: dict[str, tuple[str, ...]] = {
    "words": ("coverage",),
    "meaning": ("cosine",),
    "neighbours": ("near_cosine", "near_bm25", "far_bm25", "answers_bm25"),
    "episode": ("episode_bm25", "episode_cosine"),
    "speaker": ("speaker",),
    "dates": ("dates", "when"),
    "form": ("number", "length", "question", "long", "fact", "summary", "content"),
    "recency": ("recency", "latest"),
    "importance": ("importance", "pinned"),
}
"""The features by the names that people read."""
PART_OF = {feature: part for part, features in PARTS.items() for feature in features}
