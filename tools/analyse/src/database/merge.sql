-- Takes new and better analyses from the database `other`: deeper, then with more nodes, then with more time.
INSERT INTO main.position (fen, past)
    SELECT fen, past FROM other.position WHERE id IN (SELECT position FROM other.analysis)
    ON CONFLICT DO NOTHING;
INSERT INTO main.engine (version, commit_id, evaluation, meaning, recipe, tablebases)
    SELECT version, commit_id, evaluation, meaning, recipe, tablebases
    FROM other.engine WHERE id IN (SELECT engine FROM other.analysis)
    ON CONFLICT DO NOTHING;
CREATE TEMP TABLE taken AS
    SELECT theirs.id AS source, here.id AS position, engine.id AS engine, ours.id AS replaced
    FROM other.analysis AS theirs
        JOIN other.position AS there ON there.id = theirs.position
        JOIN other.engine AS their_engine ON their_engine.id = theirs.engine
        JOIN main.position AS here ON (here.fen, here.past) = (there.fen, there.past)
        JOIN main.engine AS engine
            ON (engine.version, engine.commit_id, engine.evaluation, engine.meaning, engine.recipe, engine.tablebases)
            = (their_engine.version, their_engine.commit_id, their_engine.evaluation, their_engine.meaning,
                their_engine.recipe, their_engine.tablebases)
        LEFT JOIN main.analysis AS ours
            ON (ours.position, ours.engine, ours.multipv) = (here.id, engine.id, theirs.multipv)
    WHERE ours.id IS NULL OR (ours.depth, ours.nodes, ours.time_ms) < (theirs.depth, theirs.nodes, theirs.time_ms);
DELETE FROM main.analysis WHERE id IN (SELECT replaced FROM taken);
INSERT INTO main.analysis (position, engine, multipv, asked_time_ms, asked_depth, asked_nodes, finished, threads, hash_mib,
        chess960, depth, seldepth, nodes, time_ms, ended)
    SELECT taken.position, taken.engine, multipv, asked_time_ms, asked_depth, asked_nodes, finished, threads, hash_mib,
        chess960, depth, seldepth, nodes, time_ms, ended
    FROM taken JOIN other.analysis AS theirs ON theirs.id = taken.source
    ORDER BY taken.source;
INSERT INTO main.line (analysis, rank, score, cp, mate, win, draw, loss, pv, san)
    SELECT ours.id, line.rank, line.score, line.cp, line.mate, line.win, line.draw, line.loss, line.pv, line.san
    FROM taken
        JOIN other.analysis AS theirs ON theirs.id = taken.source
        JOIN main.analysis AS ours
            ON (ours.position, ours.engine, ours.multipv) = (taken.position, taken.engine, theirs.multipv)
        JOIN other.line AS line ON line.analysis = taken.source;
