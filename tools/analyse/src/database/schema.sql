-- Analyses of Lento. docs/analyse.md describes results and views. Lines that end with a database name are only for that database.
-- `engine.meaning` changes when values change. `position.fen` lacks the move number. `past` is a hash of the earlier positions that may
-- be repeated. `claim` has the position that each `run`, a process, is searching.
CREATE TABLE engine (
    id INTEGER PRIMARY KEY,
    version TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    evaluation TEXT NOT NULL,
    meaning TEXT NOT NULL,
    recipe TEXT NOT NULL,
    tablebases TEXT NOT NULL,
    UNIQUE (version, commit_id, evaluation, meaning, recipe, tablebases)
) STRICT;
CREATE TABLE position (
    id INTEGER PRIMARY KEY,
    fen TEXT NOT NULL,
    past TEXT NOT NULL,
    UNIQUE (fen, past)
) STRICT;
CREATE TABLE analysis (
    id INTEGER PRIMARY KEY,
    position INTEGER NOT NULL REFERENCES position,
    engine INTEGER NOT NULL REFERENCES engine,
    multipv INTEGER NOT NULL,
    asked_time_ms INTEGER,
    asked_depth INTEGER,
    asked_nodes INTEGER,
    finished INTEGER NOT NULL,
    threads INTEGER NOT NULL,
    hash_mib INTEGER NOT NULL,
    chess960 INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    seldepth INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    ended TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    UNIQUE (position, engine, multipv)
) STRICT;
CREATE TABLE line (
    analysis INTEGER NOT NULL REFERENCES analysis ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    score INTEGER NOT NULL,
    cp INTEGER,
    mate INTEGER,
    win INTEGER NOT NULL,
    draw INTEGER NOT NULL,
    loss INTEGER NOT NULL,
    pv TEXT NOT NULL,
    san TEXT NOT NULL,
    PRIMARY KEY (analysis, rank)
) STRICT, WITHOUT ROWID;
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    process INTEGER NOT NULL,
    expires TIMESTAMPTZ NOT NULL, -- PostgreSQL
    started TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
) STRICT;
CREATE TABLE claim (
    position INTEGER PRIMARY KEY REFERENCES position,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE
) STRICT;
CREATE VIEW lines AS
    SELECT position.fen, line.rank,
        CASE WHEN line.mate IS NULL THEN printf('%+.2f', line.cp / 100.0) ELSE '#' || line.mate END AS shown, -- SQLite
        CASE WHEN line.mate IS NULL THEN to_char(line.cp / 100.0, 'FMSG9999990.00') ELSE '#' || line.mate END AS shown, -- PostgreSQL
        line.cp, line.mate, line.win, line.draw, line.loss, line.score,
        analysis.depth, analysis.seldepth, analysis.nodes, analysis.time_ms, analysis.multipv, analysis.finished,
        line.san, line.pv, engine.version, engine.commit_id, engine.evaluation, analysis.ended,
        analysis.id AS analysis, position.id AS position
    FROM line
        JOIN analysis ON analysis.id = line.analysis
        JOIN position ON position.id = analysis.position
        JOIN engine ON engine.id = analysis.engine;
CREATE VIEW best AS
    SELECT fen, shown, CASE instr(san, ' ') WHEN 0 THEN san ELSE substr(san, 1, instr(san, ' ') - 1) END AS move,
        depth, nodes, time_ms, cp, mate, win, draw, loss, san, position
    FROM lines
    WHERE rank = 1 AND analysis = (
        SELECT id FROM analysis WHERE analysis.position = lines.position
        ORDER BY depth DESC, nodes DESC, multipv DESC, id LIMIT 1
    );
