-- A session per row. This file is never changed again: its checksum is kept in each database that has run it.

-- A document for queries. `jsonb` refuses U+0000, which becomes U+FFFD: \u0000 behind an even number of backslashes, since
-- behind an odd one its own backslash is escaped. What `jsonb` refuses for another reason, such as a number of twenty
-- thousand digits, is NULL: a session is not lost for it.
CREATE FUNCTION picoflow_jsonb(document text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    RETURN document::jsonb;
EXCEPTION WHEN OTHERS THEN
    BEGIN
        RETURN regexp_replace(document, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g')::jsonb;
    EXCEPTION WHEN OTHERS THEN
        RETURN NULL;
    END;
END $$;

CREATE TABLE picoflow_session (
    -- By bytes, as the pages of a list are ordered, whatever the database's own collation is.
    id            text COLLATE "C" PRIMARY KEY,
    revision      bigint NOT NULL,
    flow          text COLLATE "C" NOT NULL,
    run_status    text NOT NULL,
    current_step  text NOT NULL,
    created_on    timestamptz NOT NULL,
    save_on       timestamptz NOT NULL,
    -- What the store reads. `jsonb` alone would not give back what it was given: it sorts keys, and writes 1e16 as an
    -- integer.
    document_text text NOT NULL,
    -- The same for queries, kept by the database itself.
    document      jsonb GENERATED ALWAYS AS (picoflow_jsonb(document_text)) STORED
);

CREATE INDEX picoflow_session_by_flow_and_status ON picoflow_session (flow, run_status, id);
CREATE INDEX picoflow_session_by_save_time ON picoflow_session (save_on);
