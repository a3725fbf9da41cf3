-- The session for a task of which a helper began one. The one is deleted with the other.
ALTER TABLE stream ADD COLUMN owner TEXT REFERENCES stream (id) ON DELETE CASCADE;
CREATE INDEX stream_owner ON stream (owner) WHERE owner IS NOT NULL;
