// Scores, numbers and names as text.

export const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
export const whiteMoves = (fen) => fen.split(" ")[1] !== "b";
export const number = (fen) => Number(fen.split(" ")[5]) || 1;
export const grouped = (value) => String(Math.round(value ?? 0)).replace(/\B(?=(\d{3})+$)/g, ",");
export const plural = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

// A large number in short form.
export const short = (value) => {
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) {
    if (value >= size) return `${(value / size).toFixed(value >= 100 * size ? 0 : 1)}${unit}`;
  }
  return String(Math.round(value ?? 0));
};

export const time = (ms) => {
  if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  const two = (value) => String(value).padStart(2, "0");
  if (ms < 3600000) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
};

// A score from White's view.
export const score = (value) => {
  if (!value) return "–";
  if (value.mate !== undefined) return `${value.mate < 0 ? "−" : ""}#${Math.abs(value.mate)}`;
  const pawns = value.cp / 100;
  return (pawns > 0 ? "+" : pawns < 0 ? "−" : "") + Math.abs(pawns).toFixed(2);
};

// A score in short form.
export const brief = (value) => {
  if (value.mate !== undefined) return score(value);
  const pawns = (Math.abs(value.cp) / 100).toFixed(Math.abs(value.cp) < 995 ? 1 : 0);
  return `${pawns === "0.0" ? "" : value.cp < 0 ? "−" : "+"}${pawns}`;
};

// A score in words.
export const spoken = (value) => {
  if (!value) return "no score";
  if (value.mate !== undefined) return `${value.mate < 0 ? "Black" : "White"} mates in ${Math.abs(value.mate)}`;
  if (value.cp === 0) return "equal";
  return `${value.cp > 0 ? "White" : "Black"} ${(Math.abs(value.cp) / 100).toFixed(2)}`;
};

// An evaluation of a PGN comment, such as 0.35,24 or #-3.
export const annotated = (text) => {
  const [, mate, pawns] = /^(?:#([+-]?\d+)|([+-]?\d*\.?\d+))(?:,\d+)?$/.exec(text ?? "") ?? [];
  if (mate) return score({ mate: Number(mate) });
  return pawns ? score({ cp: Math.round(100 * pawns) }) : text ?? "";
};

export const percent = (expected) => (expected === null || expected === undefined ? "–" : `${(100 * expected).toFixed(0)} %`);

// The move number of a position.
export const numberOf = (fen) => `${number(fen)}${whiteMoves(fen) ? "." : "…"}`;

// The moves of a line with move numbers.
export const numbered = (fen, san) => {
  let at = number(fen);
  let white = whiteMoves(fen);
  return san.map((move, ply) => {
    const before = white ? `${at}. ` : ply === 0 ? `${at}… ` : "";
    if (!white) at += 1;
    white = !white;
    return before + move;
  });
};

export const NAGS = new Map([
  [1, ["!", "good move"]], [2, ["?", "mistake"]], [3, ["!!", "brilliant move"]], [4, ["??", "blunder"]], [5, ["!?", "interesting move"]],
  [6, ["?!", "dubious move"]], [7, ["□", "only move"]], [22, ["⨀", "zugzwang"]], [10, ["=", "equal position"]], [13, ["∞", "unclear position"]],
  [14, ["+=", "White is slightly better"]], [15, ["=+", "Black is slightly better"]], [16, ["±", "White is better"]], [17, ["∓", "Black is better"]],
  [18, ["+−", "White is winning"]], [19, ["−+", "Black is winning"]], [146, ["N", "novelty"]], [36, ["↑", "initiative"]],
  [40, ["→", "attack"]], [132, ["⇆", "counterplay"]], [138, ["⊕", "time trouble"]], [44, ["=∞", "compensation"]], [140, ["∆", "with the idea"]],
]);
// The first NAG of move quality.
export const markOf = (node) => (node.nags ?? []).find((value) => value <= 7) ?? null;
export const nag = (value) => NAGS.get(value)?.[0] ?? `$${value}`;

const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
export const pieceName = (letter) => `${letter === letter.toUpperCase() ? "White" : "Black"} ${NAMES[letter.toLowerCase()]}`;

// The pieces of a FEN by square.
export const pieces = (fen) => {
  const all = new Map();
  fen.split(" ")[0].split("/").slice(0, 8).forEach((row, down) => {
    let file = 0;
    for (const letter of row) {
      if (letter >= "1" && letter <= "8") file += Number(letter);
      else if (/[pnbrqk]/i.test(letter) && file < 8) all.set("abcdefgh"[file++] + (8 - down), letter);
    }
  });
  return all;
};

// The piece placement field of a FEN.
export const placement = (all) => {
  const rows = [];
  for (let rank = 8; rank >= 1; rank -= 1) {
    let row = "";
    for (const file of "abcdefgh") row += all.get(file + rank) ?? "1";
    rows.push(row.replace(/1+/g, (empty) => empty.length));
  }
  return rows.join("/");
};

// The pieces of a position in words.
export const described = (fen) => {
  const sides = { White: [], Black: [] };
  for (const [square, letter] of [...pieces(fen)].sort(([, a], [, b]) => "kqrbnp".indexOf(a.toLowerCase()) - "kqrbnp".indexOf(b.toLowerCase()))) {
    const [side, name] = pieceName(letter).split(" ");
    sides[side].push(`${name} ${square}`);
  }
  return Object.entries(sides).map(([side, all]) => `${side}: ${all.join(", ")}.`).join(" ");
};
