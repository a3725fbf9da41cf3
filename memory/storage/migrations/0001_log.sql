CREATE TABLE stream (
    id         TEXT PRIMARY KEY,
    kind       TEXT NOT NULL CHECK (kind IN ('session', 'agent')),
    name       TEXT NOT NULL UNIQUE,
    agent      TEXT NOT NULL,
    user       TEXT NOT NULL,
    title      TEXT,
    started_at TEXT NOT NULL
) STRICT;
CREATE INDEX stream_title ON stream (title);

CREATE TABLE branch (
    id         TEXT PRIMARY KEY,
    stream     TEXT NOT NULL REFERENCES stream (id) ON DELETE CASCADE,
    parent     TEXT REFERENCES branch (id),
    parent_n   INTEGER,
    created_at TEXT NOT NULL,
    hidden     INTEGER NOT NULL DEFAULT 0,
    head       INTEGER NOT NULL,
    messages   INTEGER NOT NULL DEFAULT 0,
    model      TEXT,
    used_in    INTEGER NOT NULL DEFAULT 0,
    used_out   INTEGER NOT NULL DEFAULT 0,
    used_cached INTEGER NOT NULL DEFAULT 0,
    cost       REAL,
    updated_at TEXT NOT NULL,
    CHECK ((parent IS NULL) = (parent_n IS NULL))
) STRICT;
CREATE INDEX branch_stream ON branch (stream);
CREATE INDEX branch_updated ON branch (updated_at);

CREATE TABLE event (
    branch  TEXT NOT NULL REFERENCES branch (id) ON DELETE CASCADE,
    n       INTEGER NOT NULL CHECK (n > 0),
    at      TEXT NOT NULL,
    kind    TEXT NOT NULL,
    version INTEGER NOT NULL,
    number  INTEGER,
    data    TEXT NOT NULL,
    PRIMARY KEY (branch, n)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX event_number ON event (branch, number) WHERE number IS NOT NULL;
CREATE INDEX event_kind ON event (branch, kind, n)
    WHERE kind NOT IN ('message', 'request', 'attempt');

CREATE TABLE body (
    id        TEXT PRIMARY KEY,
    stream    TEXT NOT NULL REFERENCES stream (id) ON DELETE CASCADE,
    text      TEXT,
    erased_at TEXT,
    CHECK ((text IS NULL) = (erased_at IS NOT NULL))
) STRICT;
CREATE INDEX body_stream ON body (stream);

CREATE TABLE draft (
    branch     TEXT PRIMARY KEY REFERENCES branch (id) ON DELETE CASCADE,
    request    TEXT NOT NULL,
    text       TEXT NOT NULL,
    reasoning  TEXT NOT NULL,
    started_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE lease (
    branch     TEXT PRIMARY KEY REFERENCES branch (id) ON DELETE CASCADE,
    holder     TEXT NOT NULL,
    label      TEXT NOT NULL,
    host       TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    epoch      INTEGER NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;

CREATE TABLE checkpoint (
    branch       TEXT NOT NULL REFERENCES branch (id) ON DELETE CASCADE,
    n            INTEGER NOT NULL,
    fold_version INTEGER NOT NULL,
    data         TEXT NOT NULL,
    PRIMARY KEY (branch, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE token_count (
    body      TEXT NOT NULL REFERENCES body (id) ON DELETE CASCADE,
    tokenizer TEXT NOT NULL,
    tokens    INTEGER NOT NULL,
    PRIMARY KEY (body, tokenizer)
) STRICT, WITHOUT ROWID;

CREATE TABLE summary_cache (
    digest  TEXT PRIMARY KEY,
    text    TEXT NOT NULL,
    made_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
