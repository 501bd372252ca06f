"use strict";
(() => {
  // A node: pieces, whether White is to move, moves, own value, [depth, nodes], own line, note.
  // A move: SAN, squares, node or null, tree value, own value, depth, marks, note. A value: percent, pawns.
  const nodes = JSON.parse(document.getElementById("data").textContent);
  const find = (selector) => document.querySelector(selector);
  const first = Number(find("article").dataset.first);
  const FILES = "abcdefgh";
  let path = [];
  let turned = false;

  const made = (name, text, className) => {
    const element = document.createElement(name);
    element.textContent = text;
    if (className) element.className = className;
    return element;
  };
  const shape = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const corner = (square) => {
    const [file, rank] = [FILES.indexOf(square[0]), Number(square[1]) - 1];
    return turned ? [100 * (7 - file), 100 * rank] : [100 * file, 100 * (7 - rank)];
  };
  const percent = (value) => (value ? value[0].toFixed(1) + " %" : "–");
  const pawns = (value) => (value ? (value[1] > 0 ? "+" : "") + value[1].toFixed(2) : "");
  const at = (length = path.length) => (length ? path[length - 1][2] : 0);

  const drawBoard = (node) => {
    const pieces = [];
    node[0].split("/").forEach((row, down) => {
      let file = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") { file += Number(letter); continue; }
        const [x, y] = corner(FILES[file++] + (8 - down));
        const color = letter === letter.toUpperCase() ? "w" : "b";
        pieces.push(shape("use", { href: "#" + letter.toUpperCase(), class: color, x, y, width: 100, height: 100 }));
      }
    });
    find(".pieces").replaceChildren(...pieces);
    const played = path.length ? path[path.length - 1][1] : "";
    const trail = played ? [played.slice(0, 2), played.slice(2)] : [];
    find(".trail").replaceChildren(...trail.map((square) => {
      const [x, y] = corner(square);
      return shape("rect", { x, y, width: 100, height: 100 });
    }));
    find(".frame").setAttribute("href", turned ? "#turned" : "#frame");
  };

  const drawLine = () => {
    const root = made("a", find("#line").dataset.start || "root", path.length ? "" : "now");
    root.onclick = () => go(path = []);
    const links = path.map((move, ply) => {
      const number = Math.floor((first + ply) / 2);
      const white = (first + ply) % 2 === 0;
      const link = made("a", (white ? number + "." : ply ? "" : number + "…") + move[0], ply + 1 === path.length ? "now" : "");
      link.onclick = () => go(path = path.slice(0, ply + 1));
      return link;
    });
    find("#line").replaceChildren(root, ...links);
  };

  const go = () => {
    const node = nodes[at()];
    const [, white, moves, own, searched, line, note] = node;
    drawBoard(node);
    drawLine();
    const value = moves.length && moves[0][3] ? moves[0][3] : own;
    find(".value").textContent = value ? `${percent(value)} ${pawns(value)}` : "–";
    find(".bar").classList.toggle("turned", turned);
    find(".bar div").style.height = (value ? (white ? value[0] : 100 - value[0]) : 50) + "%";
    const lines = [];
    if (searched) lines.push(made("p", `own search ${percent(own)} ${pawns(own)}, depth ${searched[0]}, ${searched[1]} nodes`, "searched"), made("p", line));
    if (note) lines.push(made("p", note));
    find(".lines").replaceChildren(...lines);
    find("#moves tbody").replaceChildren(...moves.map((move) => {
      const [san, , target, tree, self, depth, marks, remark] = move;
      const row = made("tr", "", target === null ? "leaf" : "");
      const words = [marks & 1 ? "pinned" : "", marks & 2 ? "" : "not in the tree", remark].filter(Boolean);
      row.append(...[san, percent(tree), pawns(tree), percent(self), depth ?? "", words.join("; ")].map((text) => made("td", text)));
      if (target !== null) row.onclick = () => go(path.push(move));
      return row;
    }));
    for (const button of document.querySelectorAll("button")) {
      const back = ["first", "back"].includes(button.dataset.go);
      const on = ["last", "on"].includes(button.dataset.go);
      button.disabled = (back && !path.length) || (on && !next());
    }
  };

  // The best move with a node, unless it repeats one.
  const next = () => {
    const move = nodes[at()][2].find((move) => move[2] !== null);
    const seen = [0, ...path.map((move) => move[2])];
    return move && !seen.includes(move[2]) ? move : null;
  };
  const press = (where) => {
    if (where === "turn") turned = !turned;
    if (where === "first") path = [];
    if (where === "back") path.pop();
    if (where === "on" && next()) path.push(next());
    while (where === "last" && next()) path.push(next());
    go();
  };
  for (const button of document.querySelectorAll("button")) button.onclick = () => press(button.dataset.go);
  document.addEventListener("keydown", (event) => {
    const where = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", f: "turn" }[event.key];
    if (!where || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    press(where);
  });
  document.documentElement.classList.add("js");
  go();
})();
