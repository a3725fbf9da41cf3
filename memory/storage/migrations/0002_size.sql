ALTER TABLE stream ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE stream SET bytes = (
    SELECT ifnull(sum(length(CAST(text AS BLOB))), 0) FROM body WHERE body.stream = stream.id
);
