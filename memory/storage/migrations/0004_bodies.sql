-- The message that a text belongs to is found by the text's id, so that a search leads back to it.
CREATE INDEX event_body ON event (branch, json_extract(data, '$.ref.body'))
    WHERE kind = 'message'
