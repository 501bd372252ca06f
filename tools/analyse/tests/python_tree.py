"""Reads games with the package chess and prints the nodes of each game as a line of JSON, in file order."""

import json
import re
import sys

import chess.pgn

OWN = re.compile(r"\[%(?:csl|cal|eval|clk) [^\]]*\]")


def text(comment):
    comment = comment if isinstance(comment, str) else " ".join(comment)
    return " ".join(OWN.sub(" ", comment).split())


def shown(node):
    board = node.board()
    return {
        "fen": board.shredder_fen() if board.chess960 else board.fen(),
        "uci": node.move.uci() if node.parent else None,
        "nags": sorted(node.nags),
        "comment": text(node.comment),
        "before": text(node.starting_comment),
        "shapes": len(node.arrows()),
        "clock": node.clock() is not None,
    }


def line(node, nodes):
    while node.variations:
        main = node.variations[0]
        nodes.append(shown(main))
        for other in node.variations[1:]:
            nodes.append(shown(other))
            line(other, nodes)
        node = main


while game := chess.pgn.read_game(sys.stdin):
    assert not game.errors, game.errors
    nodes = [shown(game)]
    line(game, nodes)
    print(json.dumps({"result": game.headers["Result"], "site": game.headers["Site"], "nodes": nodes}))
