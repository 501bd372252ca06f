// Navigation in an exported tree.

import { Bar, Board } from "./board.js";
import { button, find, findAll, make, setText } from "./dom.js";
import { bindKeys } from "./keys.js";

// A node: piece placement, whether White is to move, moves, own value, [depth, nodes], own line, note.
// A move: SAN, squares, node or null, tree value, own value, depth, marks, note. A value: percent, pawns.
const nodes = JSON.parse(find("#data").textContent);
const first = Number(find("article").dataset.first);
const host = find(".play");
host.replaceChildren();
const board = new Board(host, { label: "position" });
const bar = new Bar(host);
let path = [];

const share = (value) => (value ? `${value[0].toFixed(1)} %` : "–");
const pawns = (value) => (value ? (value[1] > 0 ? "+" : "") + value[1].toFixed(2) : "");

const drawLine = () => {
  const moves = path.map(([san], ply) => {
    const before = (first + ply) % 2 === 0 ? "." : ply ? null : "…";
    return before ? `${Math.floor((first + ply) / 2)}${before}${san}` : san;
  });
  const steps = [find("#line").dataset.start || "root", ...moves];
  find("#line").replaceChildren(...steps.map((text, ply) =>
    button(text, { class: "move", "aria-current": ply === path.length && "true", click: () => walk(path = path.slice(0, ply)) })));
};

const walk = () => {
  const played = path[path.length - 1];
  const [fen, white, moves, own, searched, line, note] = nodes[played ? played[2] : 0];
  board.show({ fen, last: played ? [played[1].slice(0, 2), played[1].slice(2)] : null });
  drawLine();
  const value = moves[0]?.[3] ?? own;
  setText(find(".value"), value ? `${share(value)} ${pawns(value)}` : "–");
  bar.show(value ? (white ? value[0] : 100 - value[0]) / 100 : null, "", board.turned);
  const lines = [];
  if (searched) lines.push(make("p", { class: "searched" }, `own search ${share(own)} ${pawns(own)}, depth ${searched[0]}, ${searched[1]} nodes`), make("p", {}, line));
  if (note) lines.push(make("p", {}, note));
  find(".found").replaceChildren(...lines);
  const isFocused = find("#moves").contains(document.activeElement);
  find("#moves tbody").replaceChildren(...moves.map((move) => {
    const [san, , target, tree, self, depth, marks, remark] = move;
    const words = [marks & 1 ? "pinned" : "", marks & 2 ? "" : "not in the tree", remark].filter(Boolean);
    const name = target === null ? san : button(san, { class: "move" });
    const cells = [name, share(tree), pawns(tree), share(self), depth ?? "", words.join("; ")].map((text) => make("td", {}, text));
    return target === null ? make("tr", { class: "leaf" }, ...cells) : make("tr", { click: () => walk(path.push(move)) }, ...cells);
  }));
  if (isFocused) find("#moves button")?.focus();
  for (const one of findAll("[data-go]")) {
    const { go } = one.dataset;
    one.disabled = (["first", "back"].includes(go) && !path.length) || (["forward", "last"].includes(go) && !next());
  }
};

// The best move with a node, unless it repeats one.
const next = () => {
  const seen = [0, ...path.map((move) => move[2])];
  const move = nodes[seen[seen.length - 1]][2].find((one) => one[2] !== null);
  return move && !seen.includes(move[2]) ? move : null;
};

const actions = {
  first: () => { path = []; },
  back: () => path.pop(),
  forward: () => { if (next()) path.push(next()); },
  last: () => { while (next()) path.push(next()); },
  flip: () => board.turn(!board.turned),
};
const steps = Object.fromEntries(Object.entries(actions).map(([name, act]) => [name, () => { act(); walk(); }]));
bindKeys(steps);
for (const one of findAll("[data-go]")) one.addEventListener("click", steps[one.dataset.go]);
document.documentElement.classList.add("js");
walk();
