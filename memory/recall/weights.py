"""What each feature weighs, in one place, and how that was found.

Those of `FOUND` are a softmax over the candidates of each question, fitted to the turns that
answer it, on the first five conversations of LoCoMo: `benchmarks/recall_weights.py` prints them.
Each of them is told (by its sign) whether it may speak for or against a passage; features whose
weight changed sign between conversations, or that brought nothing, were left out.
Those of `CHOSEN` could not be learned there: that talk knows no facts, no pins and no long answers.
"""

FOUND: dict[str, float] = {
    "coverage": 3.94,
    "cosine": 4.13,
    "near_cosine": 2.17,
    "near_bm25": 0.34,
    "far_bm25": 2.14,
    "answers_bm25": 3.00,
    "episode_bm25": 4.42,
    "episode_cosine": 3.68,
    "speaker": 2.02,
    "dates": 4.84,
    "when": 4.53,
    "number": 6.31,
    "length": 4.55,
    "question": -0.49,
}
CHOSEN: dict[str, float] = {
    "long": -1.0,
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
