-- An old request is found by its id, however long the log has become.
CREATE INDEX event_request ON event (branch, json_extract(data, '$.request'))
    WHERE kind = 'request';
