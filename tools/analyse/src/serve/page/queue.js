// The queue of positions that all visitors share.

import { announce } from "./say.js";
import { button, draw, find, hide, make, say, set, soon, sync } from "./dom.js";
import { grouped, numbered, plural, score, time, whiteMoves } from "./text.js";

// The queue's scores are of the side to move.
const white = (fen, value) => {
  if (!value || whiteMoves(fen)) return value;
  return value.mate !== undefined ? { mate: -value.mate } : { cp: -value.cp };
};

export class Queue {
  constructor(session, link, preview) {
    Object.assign(this, { session, link, preview, positions: new Map(), chosen: null, isPaused: false, server: {}, awaits: false });
    this.redraw = soon(() => this.draw());
    link.on("news", (news) => this.receive(news));
    link.on("close", () => { this.server = {}; this.redraw(); });
    find("#add").addEventListener("submit", (event) => {
      event.preventDefault();
      this.add();
    });
    find("#pause").addEventListener("click", () => link.send({ pause: !this.isPaused }));
    find("#positions").addEventListener("click", (event) => {
      const act = event.target.closest("button");
      const number = Number(act?.closest("li")?.dataset.number);
      if (!number) return;
      if (act.dataset.act === "remove") link.send({ remove: number });
      else this.choose(this.chosen === number ? null : number);
    });
    find("#queue-open").addEventListener("click", () => this.open());
  }

  receive(news) {
    const { positions } = this;
    if (news.begin) positions.clear();
    if (news.server) this.server = news.server;
    if (news.paused !== undefined) this.isPaused = news.paused;
    if (news.removed) positions.delete(news.removed);
    if (news.error) say(find("#queue-error"), news.error);
    if (news.position) {
      const before = positions.get(news.position);
      const graph = news.graph ?? before?.graph ?? [];
      if (news.point) graph.push(news.point);
      positions.set(news.position, { ...news, graph });
      if (this.awaits && !before) {
        this.awaits = false;
        this.choose(news.position);
        announce("position added");
      }
      if (before && before.state !== news.state && news.state === "done") announce(`position ${news.position} done`);
    }
    if (this.chosen !== null && !positions.has(this.chosen)) this.chosen = null;
    this.redraw();
  }

  // Adds the position on the board with a budget.
  add() {
    const { tree } = this.session;
    const [limit, most] = find("#budget").value.split(" ");
    const place = tree.place();
    const fields = { moves: place.moves, [limit]: Number(most), multipv: Number(find("#queue-lines").value) || 1 };
    if (place.start) fields.fen = place.start;
    if (place.chess960) fields.chess960 = true;
    this.awaits = true;
    say(find("#queue-error"), "");
    this.link.send({ add: fields });
  }

  choose(number) {
    this.chosen = number;
    this.redraw();
  }

  // Opens the chosen position as an analysis.
  open() {
    const position = this.positions.get(this.chosen);
    if (!position) return;
    if (Array.isArray(position.moves)) this.onOpen({ start: position.start ?? null, chess960: Boolean(position.chess960), moves: position.moves });
    else if (position.moves && !position.start) this.onText(position.moves);
    else this.onOpen({ start: position.fen, chess960: false, moves: [] });
  }

  name({ moves, fen }) {
    const text = Array.isArray(moves) ? moves.join(" ") : moves;
    return text ? (text.length > 60 ? `…${text.slice(-58)}` : text) : fen.split(" ").slice(0, 2).join(" ");
  }

  draw() {
    const all = [...this.positions];
    const done = all.filter(([, { state }]) => state === "done").length;
    set(find("#progress"), "max", Math.max(1, all.length));
    set(find("#progress"), "value", done);
    say(find("#queue-done"), all.length ? `${done} of ${all.length} done` : "The queue is empty.");
    say(find("#queue-count"), all.length ? `${done}/${all.length}` : "");
    say(find("#pause"), this.isPaused ? "Resume" : "Pause");
    set(find("#pause"), "disabled", !this.link.isOpen);
    const nps = all.reduce((sum, [, { state, report }]) => sum + (state === "searching" ? report?.nps ?? 0 : 0), 0);
    const { engines, threads, hash_mib: hash, searching, waiting } = this.server;
    say(find("#server"), !this.link.isOpen ? "not connected; trying again" : engines ? `${plural(engines, "engine")}, ${plural(threads, "thread")}, ${hash} MiB${searching ? ` · ${searching} searching` : ""}${waiting ? `, ${waiting} waiting` : ""}${nps ? ` · ${grouped(nps)}/s` : ""}` : "");
    sync(find("#positions"), all.map(([key, position]) => ({ key, position })), ({ key }) => {
      const open = button("", { class: "game", "data-act": "show" }, make("span", { class: "players" }), make("span", { class: "faint" }));
      return make("li", { "data-number": key }, open, button("×", { class: "plain", "data-act": "remove", "aria-label": `remove position ${key}` }));
    }, (element, { key, position }) => {
      const [open] = element.children;
      const best = position.report?.lines?.[0];
      set(open, "aria-expanded", String(key === this.chosen));
      set(open, "aria-controls", "queue-detail");
      say(open.children[0], `${key}. ${this.name(position)}`);
      say(open.children[1], `${position.state}${best ? ` · ${score(white(position.fen, best.score))} · depth ${best.depth}` : ""}`);
    });
    this.drawDetail(this.positions.get(this.chosen));
  }

  drawDetail(position) {
    hide(find("#queue-detail"), !position);
    if (!position) return;
    const { report, fen } = position;
    const lines = report?.lines ?? [];
    say(find("#queue-numbers"), report ? `depth ${lines[0]?.depth ?? 0}/${lines[0]?.seldepth ?? 0}, ${grouped(report.nodes)} nodes, ${time((position.spent ?? 0) + report.time_ms)}, ${grouped(report.nps)}/s` : position.state);
    const items = lines.map((line, key) => ({ key, text: numbered(fen, line.san).join(" ") || "the game is over", value: score(white(fen, line.score)) }));
    sync(find("#queue-lines-of"), items, () => make("li", {}, make("b"), make("span")), (element, { text, value }) => {
      say(element.children[0], value);
      say(element.children[1], text);
    });
    this.drawGraph(position.graph ?? []);
  }

  // White's expected score over time.
  drawGraph(points) {
    const graph = find("#queue-graph");
    hide(graph.parentElement, points.length < 2);
    if (points.length < 2) return;
    const [start, end] = [points[0][0], Math.max(points[points.length - 1][0], points[0][0] + 1)];
    set(graph, "viewBox", `${start} 0 ${end - start} 100`);
    if (!graph.childNodes.length) graph.append(draw("path", { class: "area" }), draw("path", { class: "half" }));
    const [area, half] = graph.children;
    set(area, "d", `M${start} 100L${points.map(([at, , share]) => `${at} ${(100 - share / 10).toFixed(1)}`).join("L")}V100Z`);
    set(half, "d", `M${start} 50H${end}`);
    const last = points[points.length - 1];
    set(graph, "aria-label", `White's expected score over time, now ${(last[2] / 10).toFixed(0)} %`);
    say(find("#queue-from"), `${time(start)}, depth ${points[0][1]}`);
    say(find("#queue-to"), `${time(end)}, depth ${last[1]}`);
  }
}
