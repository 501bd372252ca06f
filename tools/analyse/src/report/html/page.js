"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const FILES = "abcdefgh";

  const node = (name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const paragraph = (className, ...parts) => {
    const made = document.createElement("p");
    made.className = className;
    made.append(...parts);
    return made;
  };
  const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

  class Game {
    constructor(article) {
      this.article = article;
      this.id = article.id;
      this.ply = 0;
      this.turned = false;
      this.data = null;
    }

    find(selector) {
      return this.article.querySelector(selector);
    }

    // Builds a game on first use.
    open() {
      if (this.data) return;
      this.data = JSON.parse(this.find("script").textContent);
      this.links = [...this.article.querySelectorAll(".moves a")];
      this.article.addEventListener("click", (event) => this.click(event));
      const graph = this.find(".graph");
      let drags = false;
      const seek = (event) => {
        const box = graph.getBoundingClientRect();
        const share = (event.clientX - box.left) / box.width;
        this.show(Math.round(share * this.data.moves.length));
      };
      graph.addEventListener("pointerdown", (event) => { drags = true; seek(event); });
      graph.addEventListener("pointermove", (event) => { if (drags && event.buttons) seek(event); });
      window.addEventListener("pointerup", () => { drags = false; });
    }

    click(event) {
      const link = event.target.closest(".moves a");
      const button = event.target.closest("button");
      if (link) {
        event.preventDefault();
        this.show(this.links.indexOf(link) + 1);
      } else if (button) {
        this.go(button.dataset.go);
      }
    }

    go(where) {
      if (where === "turn") this.turned = !this.turned;
      const last = this.data.moves.length;
      this.show({ first: 0, back: this.ply - 1, on: this.ply + 1, last }[where] ?? this.ply);
    }

    // Maps squares to pieces.
    pieces() {
      const pieces = new Map();
      this.data.start.split("/").forEach((row, down) => {
        let file = 0;
        for (const letter of row) {
          if (letter >= "1" && letter <= "8") file += Number(letter);
          else pieces.set(FILES[file++] + (8 - down), letter);
        }
      });
      for (const [changes] of this.data.moves.slice(0, this.ply)) {
        for (let at = 0; at < changes.length; at += 3) {
          const square = changes.slice(at, at + 2);
          if (changes[at + 2] === ".") pieces.delete(square);
          else pieces.set(square, changes[at + 2]);
        }
      }
      return pieces;
    }

    // The top left corner of a square.
    corner(square) {
      const file = FILES.indexOf(square[0]);
      const rank = Number(square[1]) - 1;
      return this.turned ? [100 * (7 - file), 100 * rank] : [100 * file, 100 * (7 - rank)];
    }

    show(ply) {
      this.open();
      this.ply = Math.max(0, Math.min(ply, this.data.moves.length));
      const position = this.data.positions[this.ply];
      this.drawBoard(position);
      this.drawValue(position);
      this.drawLines(position);
      this.drawClocks();
      this.find(".graph .now").setAttribute("d", `M${this.ply} 0V100`);
      for (const button of this.article.querySelectorAll("button")) {
        const back = ["first", "back"].includes(button.dataset.go);
        const on = ["last", "on"].includes(button.dataset.go);
        button.disabled = (back && this.ply === 0) || (on && this.ply === this.data.moves.length);
      }
      this.markMove();
      remember(this);
    }

    drawBoard(position) {
      const pieces = [...this.pieces()].map(([square, letter]) => {
        const [x, y] = this.corner(square);
        const color = letter === letter.toUpperCase() ? "w" : "b";
        return node("use", { href: "#" + letter.toUpperCase(), class: color, x, y, width: 100, height: 100 });
      });
      this.find(".pieces").replaceChildren(...pieces);
      const played = this.ply > 0 ? this.data.moves[this.ply - 1][1] : "";
      const trail = played ? [played.slice(0, 2), played.slice(2)] : [];
      this.find(".trail").replaceChildren(...trail.map((square) => {
        const [x, y] = this.corner(square);
        return node("rect", { x, y, width: 100, height: 100 });
      }));
      const best = position && position[6] && position[6].length ? position[6][0][2] : "";
      this.find(".arrow").replaceChildren(...(best ? [this.arrow(best.slice(0, 2), best.slice(2))] : []));
      this.find(".frame").setAttribute("href", this.turned ? "#turned" : "#frame");
    }

    arrow(from, to) {
      const [x, y] = this.corner(from).map((edge) => edge + 50);
      const [toX, toY] = this.corner(to).map((edge) => edge + 50);
      const length = Math.hypot(toX - x, toY - y) || 1;
      const along = [(toX - x) / length, (toY - y) / length];
      const at = (forth, aside) => `${x + along[0] * forth - along[1] * aside} ${y + along[1] * forth + along[0] * aside}`;
      const neck = length - 38;
      const corners = [[20, -8], [neck, -8], [neck, -24], [length, 0], [neck, 24], [neck, 8], [20, 8]];
      return node("path", { d: "M" + corners.map(([forth, aside]) => at(forth, aside)).join("L") + "Z" });
    }

    drawValue(position) {
      const bar = this.find(".bar");
      bar.classList.toggle("turned", this.turned);
      bar.firstElementChild.style.height = (position ? position[1] : 50) + "%";
      bar.style.opacity = position ? 1 : 0.3;
      this.find(".value").textContent = position ? position[0] : "–";
    }

    drawLines(position) {
      const lines = [];
      if (position && position.length > 2) {
        const [, , depth, selective, nodes, ms, found] = position;
        const time = ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms} ms`;
        lines.push(paragraph("searched", `depth ${depth}/${selective}, ${grouped(nodes)} nodes, ${time}`));
        for (const [value, moves] of found) {
          const bold = document.createElement("b");
          bold.textContent = value;
          lines.push(paragraph("", bold, " ", moves));
        }
      } else {
        lines.push(paragraph("searched", position ? "the game is over" : "not analysed"));
      }
      this.find(".lines").replaceChildren(...lines);
    }

    // Shows both clocks, if known.
    drawClocks() {
      this.article.classList.toggle("turned", this.turned);
      if (!this.data.clocks) return;
      for (const color of ["w", "b"]) {
        const own = this.data.clocks.slice(0, this.ply).filter((_, at) => (at % 2 === 0) === (color === this.data.first));
        this.find(`.seat.${color} .clock`).textContent = own.filter((clock) => clock).pop() ?? "–";
      }
    }

    // Marks the move and scrolls the list, but not the page.
    markMove() {
      this.links.forEach((link, at) => link.classList.toggle("now", at === this.ply - 1));
      const list = this.find(".moves");
      const link = this.links[this.ply - 1];
      if (!link) {
        list.scrollTop = 0;
        return;
      }
      const [top, bottom] = [link.offsetTop, link.offsetTop + link.offsetHeight];
      const margin = 2 * link.offsetHeight;
      if (this.links.includes(document.activeElement)) link.focus({ preventScroll: true });
      if (top - margin < list.scrollTop) list.scrollTop = top - margin;
      else if (bottom + margin > list.scrollTop + list.clientHeight) list.scrollTop = bottom + margin - list.clientHeight;
    }
  }

  const games = [...document.querySelectorAll(".game")].map((article) => new Game(article));
  let current = null;

  // The address holds the position, for bookmarks and links.
  const remember = (game) => {
    const place = "#" + game.id + (game.ply ? "-" + game.ply : "");
    try {
      if (location.hash !== place) history.replaceState(null, "", place);
    } catch {
      // Some browsers forbid this for local files.
    }
  };

  const choose = (game, ply) => {
    current = game;
    for (const other of games) other.article.classList.toggle("chosen", other === game);
    for (const row of document.querySelectorAll("#contents tbody tr")) {
      row.classList.toggle("chosen", row.querySelector("a").hash === "#" + game.id);
    }
    game.show(ply);
  };

  const follow = () => {
    const [, id, ply] = /^#(g\d+)(?:-(\d+))?$/.exec(location.hash) || [];
    const game = games.find((game) => game.id === id) || current || games[0];
    if (!game) return;
    choose(game, id === game.id ? Number(ply || game.ply) : game.ply);
    if (id) requestAnimationFrame(reveal);
  };

  // The browser scrolls to the move in the list; show its board instead.
  const reveal = () => {
    if (location.hash) current.article.scrollIntoView();
  };

  document.addEventListener("keydown", (event) => {
    const where = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", f: "turn" }[event.key];
    if (!where || !current || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    current.go(where);
  });
  window.addEventListener("hashchange", follow);
  window.addEventListener("load", () => current && follow());
  document.documentElement.classList.add("js");
  document.documentElement.classList.toggle("many", games.length > 1);
  follow();
})();
