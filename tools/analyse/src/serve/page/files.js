// Import and export: paste, drop, open; copy or save PGN, FEN and pictures.

import { announce, fail, notice } from "./notices.js";
import { button, copy, find, hide, make, save, setText, set, sync } from "./dom.js";
import { plural } from "./text.js";

// Maximum bytes of a text in a message, and of a posted file.
const MAX_MESSAGE = 40000;
const MAX_FILE = 16 << 20;
// Games listed at once.
const ROWS = 200;

const problemText = (problem) => (typeof problem === "string" ? problem : problem.line ? `line ${problem.line}: ${problem.text}` : problem.text);

export class Files {
  constructor(session, link) {
    Object.assign(this, { session, link, read: null });
    this.dialog = find("#open-dialog");
    find("#open").addEventListener("click", () => this.show());
    find("#read").addEventListener("submit", (event) => {
      event.preventDefault();
      this.load(find("#read-text").value);
    });
    find("#read-file").addEventListener("change", (event) => {
      const [file] = event.target.files;
      if (file) this.load(file);
      event.target.value = "";
    });
    find("#search-games").addEventListener("input", () => this.drawGames());
    find("#queue-games").addEventListener("click", ({ currentTarget: own }) => {
      own.disabled = true;
      this.onQueue(this.read.file, this.found.map(({ index }) => index)).catch((error) => this.showError(error.message)).finally(() => { own.disabled = false; });
    });
    find("#more-games").addEventListener("click", () => {
      this.rows += ROWS;
      this.drawGames();
    });
    find("#games").addEventListener("click", (event) => {
      const index = event.target.closest("[data-game]")?.dataset.game;
      // Notices are behind the dialog.
      if (index !== undefined) this.choose(Number(index)).catch((error) => (this.dialog.open ? this.showError(error.message) : fail(error)));
    });
    document.addEventListener("paste", (event) => {
      if (event.target.closest?.("input, textarea") || find("dialog[open]")) return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      const [file] = event.clipboardData?.files ?? [];
      if (!text.trim() && !file) return;
      event.preventDefault();
      this.load(file ?? text);
    });
    // Text dragged within the page or to a field is no game.
    let isOwn = false;
    for (const name of ["dragstart", "dragend"]) document.addEventListener(name, () => { isOwn = name === "dragstart"; });
    const takes = ({ dataTransfer, target }) => dataTransfer?.types.includes("Files") || !(isOwn || target.closest?.("input, textarea"));
    document.addEventListener("dragover", (event) => { if (takes(event)) event.preventDefault(); });
    document.addEventListener("drop", (event) => {
      if (!takes(event)) return;
      event.preventDefault();
      const [file] = event.dataTransfer?.files ?? [];
      this.load(file ?? event.dataTransfer?.getData("text/plain") ?? "");
    });
    this.buildShare();
  }

  show() {
    this.showError("");
    if (!this.dialog.open) this.dialog.showModal();
    find(this.read?.games.length > 1 ? "#search-games" : "#read-text").focus();
  }

  showError(text) {
    setText(find("#read-error"), text);
  }

  // Loads a text or file: PGN, FEN, EPD or moves.
  async load(given) {
    const isFile = typeof given !== "string";
    this.read = null;
    this.drawGames();
    this.showError("");
    this.showProgress(isFile ? `reading ${given.name}…` : "reading…");
    try {
      const read = await this.ask(given);
      if (!read.games.length) throw new Error(problemText(read.problems[0] ?? "no game; expected PGN, FEN, EPD or moves"));
      this.read = read;
      this.rows = ROWS;
      find("#search-games").value = "";
      this.drawGames();
      if (read.games.length === 1) {
        await this.choose(0);
        if (read.kind === "moves") this.session.last();
      } else {
        if (!this.dialog.open) this.dialog.showModal();
        find("#search-games").focus();
        announce(`${plural(read.games.length, "game")} read`);
      }
      find("#read-text").value = "";
    } catch (error) {
      if (this.dialog.open) {
        this.showError(error.message);
        announce(error.message);
      } else {
        fail(error);
      }
    } finally {
      this.showProgress("");
    }
  }

  showProgress(text) {
    setText(find("#reading"), text);
    if (text && !this.dialog.open) announce(text);
  }

  async ask(given) {
    if (typeof given === "string" && new Blob([given]).size < MAX_MESSAGE) return this.link.ask("read", { text: given });
    const body = typeof given === "string" ? new Blob([given]) : given;
    if (body.size > MAX_FILE) throw new Error(`The file has ${(body.size / 1048576).toFixed(1)} MiB; expected at most 16 MiB.`);
    const response = await fetch("read", { method: "POST", body, headers: { "Content-Type": "application/octet-stream" } });
    const text = await response.text();
    let answer = null;
    try {
      answer = JSON.parse(text);
    } catch {
      throw new Error(text.trim() || `The server answered ${response.status}.`);
    }
    if (answer.error) throw new Error(answer.error.text ?? answer.error);
    return answer.answer ?? answer;
  }

  // Opens a game of the file.
  async choose(index) {
    // Another file may be read meanwhile.
    const { read } = this;
    const { document, problems } = await this.link.ask("game", { file: read.file, index });
    if (this.dialog.open) this.dialog.close();
    await this.onOpen(document);
    const all = problems?.length ? problems : read.games.length === 1 ? read.problems : [];
    if (all.length) this.problems(all);
  }

  problems(all) {
    notice(`${plural(all.length, "problem")} in the text. ${problemText(all[0])}`, { isError: true, seconds: 15 });
  }

  drawGames() {
    const games = this.read?.games ?? [];
    hide(find("#games-part"), games.length < 2);
    const words = find("#search-games").value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    games.forEach((game, index) => {
      const text = [game.white, game.black, game.event, game.date, game.result].join(" ").toLowerCase();
      if (words.every((word) => text.includes(word))) found.push({ key: `${this.read.file}/${index}`, index, game });
    });
    this.found = found;
    const count = this.read?.problems.length ?? 0;
    setText(find("#games-count"), `${found.length === games.length ? plural(games.length, "game") : `${found.length} of ${plural(games.length, "game")}`}${count ? `, ${plural(count, "problem")}` : ""}`);
    hide(find("#more-games"), found.length <= this.rows);
    hide(find("#games-problems"), !count);
    sync(find("#games-problems ul"), (this.read?.problems ?? []).slice(0, 100).map((problem, key) => ({ key, text: problemText(problem) })), () => make("li"), (element, { text }) => setText(element, text));
    sync(find("#games"), found.slice(0, this.rows), () => make("li", {}, button("", { class: "game" }, make("span", { class: "players" }), make("span", { class: "faint" }))), (element, { game, index }) => {
      const [own] = element.children;
      set(own, "data-game", index);
      setText(own.children[0], `${index + 1}. ${game.white || "?"} – ${game.black || "?"}`);
      setText(own.children[1], [game.result, game.date, game.event, plural(Math.ceil(game.plies / 2), "move")].filter((text) => text && text !== "?" && text !== "????.??.??").join(" · "));
    });
  }

  // Sets up the share dialog.
  buildShare() {
    const { session } = this;
    const name = () => (session.name || "analysis").replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60).toLowerCase();
    const pgn = async () => (await this.link.ask("write", { document: session.tree.document() })).pgn;
    const acts = {
      "copy-fen": async () => this.copied(session.node.fen, "FEN"),
      "copy-pgn": async () => this.copied(await pgn(), "PGN"),
      "copy-link": async () => this.copied(location.href.split("#")[0] + session.address(), "address"),
      "copy-svg": async () => this.copied(picture(find("#board svg.board")), "picture"),
      "save-pgn": async () => save(`${name()}.pgn`, "application/x-chess-pgn", await pgn()),
      "save-svg": async () => save(`${name()}.svg`, "image/svg+xml", picture(find("#board svg.board"))),
    };
    const dialog = find("#share-dialog");
    find("#share").addEventListener("click", () => {
      find("#share-fen").value = session.node.fen;
      find("#share-pgn").value = "…";
      setText(find("#share-said"), "");
      dialog.showModal();
      pgn().then((text) => { find("#share-pgn").value = text; }, (error) => { find("#share-pgn").value = ""; fail(error); });
    });
    for (const [id, act] of Object.entries(acts)) find(`#${id}`).addEventListener("click", () => act().catch(fail));
  }

  async copied(text, what) {
    const done = await copy(text);
    setText(find("#share-said"), done ? `${what} copied` : `The browser did not allow copying the ${what}.`);
    announce(find("#share-said").textContent);
  }
}

// A standalone picture of a board, with symbols, colors, arrows and glyphs.
export const picture = (svg) => {
  const clone = svg.cloneNode(true);
  const style = getComputedStyle(svg);
  const colors = ["--light", "--dark", "--last", "--mark", "--check", "--arrow", "--arrow-threat", "--green", "--red", "--yellow", "--blue", "--names"];
  const rules = [];
  for (const sheet of document.styleSheets) {
    if (!sheet.href?.endsWith("board.css")) continue;
    for (const rule of sheet.cssRules) if (rule.constructor.name === "CSSStyleRule") rules.push(rule.cssText.replace(/transition:[^;]*;/g, ""));
  }
  const own = document.createElementNS("http://www.w3.org/2000/svg", "style");
  own.textContent = `svg{${colors.map((color) => `${color}:${style.getPropertyValue(color)}`).join(";")}}\n${rules.join("\n")}`;
  const symbols = find("svg.store defs").cloneNode(true);
  for (const piece of clone.querySelectorAll("[style]")) {
    // Image viewers support the attribute better than the style.
    const [, x, y] = /translate\(([-\d.]+)px,\s*([-\d.]+)px\)/.exec(piece.style.transform) ?? [];
    piece.removeAttribute("style");
    if (x !== undefined) piece.setAttribute("transform", `translate(${x} ${y})`);
  }
  find(".hints", clone)?.replaceChildren();
  clone.prepend(symbols);
  clone.prepend(own);
  for (const [key, value] of [["xmlns", "http://www.w3.org/2000/svg"], ["width", 800], ["height", 800]]) clone.setAttribute(key, value);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(clone)}\n`;
};
