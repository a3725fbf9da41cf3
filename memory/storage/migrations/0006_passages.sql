-- What a search finds: stretches of the texts in `body`, which stand there alone.
CREATE TABLE passage (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL CHECK (kind IN ('message', 'summary', 'fact', 'content')),
    name       TEXT NOT NULL DEFAULT '',
    body       TEXT NOT NULL REFERENCES body (id) ON DELETE CASCADE,
    first      INTEGER NOT NULL,
    last       INTEGER NOT NULL,
    stream     TEXT NOT NULL REFERENCES stream (id) ON DELETE CASCADE,
    branch     TEXT NOT NULL REFERENCES branch (id) ON DELETE CASCADE,
    n          INTEGER NOT NULL,
    number     INTEGER NOT NULL DEFAULT 0,
    episode    INTEGER NOT NULL DEFAULT 0,
    agent      TEXT NOT NULL,
    role       TEXT NOT NULL,
    origin     TEXT NOT NULL,
    at         TEXT NOT NULL,
    importance REAL NOT NULL DEFAULT 0,
    pinned     INTEGER NOT NULL DEFAULT 0,
    tags       TEXT NOT NULL DEFAULT '[]',
    hidden     INTEGER NOT NULL DEFAULT 0,
    words      INTEGER
) STRICT;
CREATE INDEX passage_branch ON passage (branch, n);
CREATE INDEX passage_number ON passage (stream, number);
CREATE INDEX passage_body ON passage (body);
CREATE INDEX passage_name ON passage (stream, name) WHERE name <> '';
CREATE INDEX passage_waiting ON passage (id) WHERE words IS NULL;

-- Only the words. A row is taken out by its words, which are had from the text again.
CREATE VIRTUAL TABLE passage_words USING fts5(words, content = '', tokenize = 'ascii');
CREATE VIRTUAL TABLE passage_vocabulary USING fts5vocab(passage_words, row);

CREATE TABLE vector (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    passage  INTEGER NOT NULL REFERENCES passage (id) ON DELETE CASCADE,
    embedder TEXT NOT NULL,
    data     BLOB NOT NULL,
    UNIQUE (passage, embedder)
) STRICT;

-- Branches of before, with the events that are still to be gone through for passages.
CREATE TABLE unread (
    branch TEXT PRIMARY KEY REFERENCES branch (id) ON DELETE CASCADE,
    done   INTEGER NOT NULL,
    upto   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO unread SELECT id, ifnull(parent_n, 0), head FROM branch
    WHERE head > ifnull(parent_n, 0);

CREATE TABLE search (
    only  INTEGER PRIMARY KEY CHECK (only = 1),
    id    TEXT NOT NULL,
    rules INTEGER NOT NULL
) STRICT;
INSERT INTO search VALUES (1, lower(hex(randomblob(8))), 1);
