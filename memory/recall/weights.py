"""What each feature weighs, in one place, and how that was found.

Those of `FOUND` are a softmax over the candidates of each question, fitted to the turns that
answer it, on the first five conversations of LoCoMo: `benchmarks/recall_weights.py` prints them.
Each of them is told (by its sign) whether it may speak for or against a passage; features whose
weight changed sign between conversations, or that brought nothing, were left out.
Those of `CHOSEN` could not be learned there: that talk knows no facts, no pins and no long answers.
"""

FOUND: dict[str, float] = {
    "bm25": 0.5,
    "coverage": 3.4,
    "cosine": 6.0,
    "near_cosine": 2.8,
    "near_bm25": 0.4,
    "far_bm25": 1.6,
    "answers_bm25": 2.8,
    "episode_bm25": 5.0,
    "episode_cosine": 4.3,
    "speaker": 2.2,
    "dates": 5.0,
    "when": 2.0,
    "number": 2.2,
    "length": 3.8,
    "question": -0.4,
}
CHOSEN: dict[str, float] = {
    "long": -0.5,
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
    "words": ("bm25", "coverage"),
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
