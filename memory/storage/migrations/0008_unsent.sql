-- What the user has begun to write and has not sent, the newest of each branch.
CREATE TABLE unsent (
    branch TEXT PRIMARY KEY REFERENCES branch (id) ON DELETE CASCADE,
    at     TEXT NOT NULL,
    text   TEXT NOT NULL,
    kinds  TEXT NOT NULL
) STRICT;
