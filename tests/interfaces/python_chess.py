"""Drives an engine by python-chess, as bots and scripts do. The argument is the engine."""

import sys

import chess
import chess.engine

with chess.engine.SimpleEngine.popen_uci(sys.argv[1]) as engine:
    assert engine.id["name"].startswith("Lento"), engine.id
    for name in ["Threads", "Hash", "MultiPV", "Ponder", "UCI_Chess960", "Show WDL"]:
        assert name in engine.options, name
    engine.configure({"Hash": 8, "UCI_ShowWDL": True, "SyzygyPath": ""})

    lines = engine.analyse(chess.Board(), chess.engine.Limit(depth=8), multipv=3)
    assert len(lines) == 3 and len({line["pv"][0] for line in lines}) == 3, lines
    for line in lines:
        assert line["depth"] == 8 and line["nodes"] > 0 and line["wdl"].relative.total() == 1000, line
        board = chess.Board()
        for move in line["pv"]:
            board.push(move)

    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 6 and "pv" in info:
                break
    assert analysis.info["pv"]

    board = chess.Board()
    clock = chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.02, black_inc=0.02)
    opponent = chess.engine.Opponent("Kasparov, Garry", "GM", 2800, False)
    engine.send_opponent_information(opponent=opponent)
    while board.ply() < 20 and not board.is_game_over():
        result = engine.play(board, clock, ponder=True, info=chess.engine.INFO_ALL)
        assert result.info["pv"][0] == result.move, result
        board.push(result.move)

    # Castling is king takes rook.
    board = chess.Board("rk6/8/8/8/8/8/8/1K5R w H - 0 1", chess960=True)
    result = engine.play(board, chess.engine.Limit(depth=6), root_moves=[chess.Move.from_uci("b1h1")])
    assert result.move == chess.Move.from_uci("b1h1"), result

    mate = engine.analyse(chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"), chess.engine.Limit(mate=1))
    assert mate["score"].relative == chess.engine.Mate(1), mate
print("passed")
