-- What is being forgotten: what is to go, by ids, until it has gone, and then that the
-- file is to be cleaned.
CREATE TABLE forgetting (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    at    TEXT NOT NULL,
    host  TEXT NOT NULL,
    pid   INTEGER NOT NULL,
    stage TEXT NOT NULL CHECK (stage IN ('begun', 'gone', 'done')),
    wish  TEXT
) STRICT;

-- Who has the database open and holds texts in memory, and how far they let go.
CREATE TABLE reader (
    id    TEXT PRIMARY KEY,
    label TEXT NOT NULL,
    host  TEXT NOT NULL,
    pid   INTEGER NOT NULL,
    seen  INTEGER NOT NULL
) STRICT;

-- Tombstones of branches that another process writes to: it appends them itself.
CREATE TABLE tombstone (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    branch TEXT NOT NULL REFERENCES branch (id) ON DELETE CASCADE,
    data   TEXT NOT NULL
) STRICT;
