-- A tree of searched positions. docs/tree.md describes the tables. Files without a version also have them.
CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS engine (
    id INTEGER PRIMARY KEY,
    version TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    evaluation TEXT NOT NULL,
    meaning TEXT NOT NULL,
    recipe TEXT NOT NULL,
    tablebases TEXT NOT NULL,
    UNIQUE (version, commit_id, evaluation, meaning, recipe, tablebases)
);
CREATE TABLE IF NOT EXISTS node (
    id INTEGER PRIMARY KEY,
    position TEXT NOT NULL UNIQUE,
    white BIGINT NOT NULL,
    moves BIGINT NOT NULL,
    fixed BIGINT,
    ply BIGINT,
    value BIGINT,
    cost BIGINT NOT NULL,
    component BIGINT,
    claim BIGINT,
    note TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS node_component ON node (component) WHERE component IS NOT NULL;
CREATE INDEX IF NOT EXISTS node_claim ON node (claim) WHERE claim IS NOT NULL;
CREATE TABLE IF NOT EXISTS edge (
    parent BIGINT NOT NULL,
    mv BIGINT NOT NULL,
    child BIGINT NOT NULL,
    irreversible BIGINT NOT NULL,
    pinned BIGINT NOT NULL DEFAULT 0,
    excluded BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (parent, mv)
);
CREATE INDEX IF NOT EXISTS edge_child ON edge (child);
CREATE TABLE IF NOT EXISTS search (
    node BIGINT NOT NULL,
    engine BIGINT NOT NULL,
    avoided BLOB NOT NULL,
    mv BIGINT NOT NULL,
    value BIGINT NOT NULL,
    score BIGINT NOT NULL,
    depth BIGINT NOT NULL,
    nodes BIGINT NOT NULL,
    time_ms BIGINT NOT NULL,
    asked_nodes BIGINT NOT NULL,
    asked_ms BIGINT NOT NULL,
    pv BLOB NOT NULL,
    PRIMARY KEY (node, engine, avoided)
);
DROP TABLE IF EXISTS run;
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    process BIGINT NOT NULL,
    expires TIMESTAMPTZ NOT NULL, -- PostgreSQL
    started TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);
