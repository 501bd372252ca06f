// My analyses: the list, and saving of the shown one.

import { announce, fail, notice } from "./say.js";
import { button, find, hide, icon, make, say, set, sync } from "./dom.js";
import { plural } from "./text.js";

// Milliseconds from an edit to its saving.
const DELAY = 1000;
// Codes of errors about boards that the server does not have, or no more.
export const GONE = ["unknown-board", "removed"];

export class Boards {
  constructor(session, link) {
    Object.assign(this, { session, link, all: null, mayEdit: true, isSaving: false, renamed: false });
    this.list = find("#boards");
    link.on("boards", () => this.load());
    link.on("open", () => { this.load(); this.again(); });
    link.on("board", (event) => this.foreign(event.board, event));
    link.on("hello", ({ may }) => {
      this.mayEdit = may !== "view";
      document.body.classList.toggle("view", !this.mayEdit);
      this.draw();
    });
    session.on((what) => {
      if (what === "edit") this.soon();
      if (what === "edit" || what === "open") this.draw();
    });
    find("#name").addEventListener("change", (event) => this.rename(event.target.value));
    find("#name").addEventListener("keydown", (event) => { if (event.key === "Enter") event.target.blur(); });
    find("#search-boards").addEventListener("input", () => this.draw());
    this.list.addEventListener("click", (event) => {
      const act = event.target.closest("button");
      const board = act?.closest("li")?.dataset.board;
      if (board) this[act.dataset.act](board).catch(fail);
    });
    document.addEventListener("visibilitychange", () => this.save());
  }

  async load() {
    try {
      this.all = (await this.link.ask("boards", {}, true)).boards;
      const own = this.all.find(({ board }) => board === this.session.board?.id);
      if (own) this.session.name = own.name;
    } catch (error) {
      if (error.code !== "closed") this.all = null;
    }
    this.draw();
  }

  draw() {
    const { session } = this;
    const words = find("#search-boards").value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = (this.all ?? []).filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
    all.sort((a, b) => String(b.changed).localeCompare(String(a.changed), undefined, { numeric: true }));
    say(find("#no-boards"), this.all === null ? "This server keeps no analyses." : this.all.length ? (all.length ? "" : "None has this name.") : "None yet. An analysis is saved with its first move.");
    hide(find("#no-boards"), all.length > 0);
    hide(find("#search-boards").parentElement, (this.all?.length ?? 0) < 8);
    sync(this.list, all.map((one) => ({ key: one.board, one })), ({ key }) => {
      const act = (name, text, label) => button("", { "data-act": name, ...(label ? { class: "plain", title: label } : { class: "game" }) }, ...(label ? [icon(text)] : [make("span", { class: "players" }), make("span", { class: "faint" })]));
      return make("li", { "data-board": key }, act("open", ""), act("copy", "copy", "copy"), act("remove", "remove", "delete"));
    }, (element, { one }) => {
      const [open, copied, remove] = element.children;
      const isShown = session.board?.id === one.board;
      set(open, "aria-current", isShown ? "true" : null);
      say(open.children[0], one.name);
      say(open.children[1], `${plural(one.plies, "ply").replace("plys", "plies")} · ${when(one.changed)}${isShown ? " · shown" : ""}`);
      for (const [other, word] of [[copied, "copy"], [remove, "delete"]]) {
        set(other, "aria-label", `${word} ${one.name}`);
        hide(other, !this.mayEdit);
      }
    });
    const field = find("#name");
    if (field !== document.activeElement && field.value !== session.name) field.value = session.name;
    this.tell();
  }

  // Says how the shown analysis is saved.
  tell() {
    const { session } = this;
    let text = "";
    if (!this.mayEdit) text = "view only, not saved";
    else if (session.edits > session.saved) text = this.link.isOpen ? (this.stale ? "not saved" : "saving…") : "not connected, kept here";
    else if (session.board) text = "saved";
    say(find("#saved"), text);
  }

  // A name from the tags or the opening.
  suggested() {
    const { tree, info } = this.session;
    const tag = (name) => tree.state.tags.find(([key]) => key === name)?.[1];
    const player = (name) => (tag(name) && tag(name) !== "?" ? tag(name) : null);
    if (player("White") || player("Black")) return `${player("White") ?? "?"} – ${player("Black") ?? "?"}`;
    return info?.opening?.name ?? `Analysis of ${new Date().toLocaleDateString()}`;
  }

  soon() {
    clearTimeout(this.timer);
    this.session.keep();
    this.timer = setTimeout(() => this.save(), DELAY);
    this.tell();
  }

  // Saves the shown analysis if it has changed. One save at a time.
  async save() {
    const { session, link } = this;
    clearTimeout(this.timer);
    if (!this.mayEdit || this.all === null || this.stale || this.isSaving || session.edits === session.saved || !link.isOpen) return;
    if (!session.board && !session.tree.plies && !session.tree.node(0).comment) return;
    const { tree, edits, board } = session;
    if (!session.name) session.name = this.suggested();
    this.isSaving = true;
    const document = tree.document();
    try {
      const answer = await link.ask("save", { board: board?.id ?? null, version: board?.version ?? 0, name: session.name, document }, true);
      if (tree === session.tree) {
        session.board = { id: answer.board, version: answer.version };
        session.saved = edits;
        session.keep();
        this.onSaved?.();
      }
    } catch (error) {
      if (tree !== session.tree || error.code === "closed") return;
      if (error.code === "stale") this.isStale(error.error, document);
      else if (GONE.includes(error.code)) session.board = null;
      else fail(error);
    } finally {
      this.isSaving = false;
      this.draw();
      if (tree === session.tree && session.edits > session.saved && link.isOpen) this.soon();
    }
  }

  // Another page has saved meanwhile.
  isStale({ document, version }, own) {
    const { session } = this;
    if (document && ["nodes", "tags", "result"].every((part) => JSON.stringify(document[part]) === JSON.stringify(own[part]))) {
      session.board.version = version;
      session.saved = session.edits;
      return;
    }
    this.stale = true;
    const dialog = find("#stale-dialog");
    dialog.showModal();
    dialog.onclose = () => {
      this.stale = false;
      if (dialog.returnValue === "copy") {
        session.board = null;
        session.name = `${session.name} (mine)`;
        this.save();
      } else if (document) {
        session.board.version = version;
        session.replace(document);
        session.keep();
        this.draw();
      }
    };
  }

  // Takes what another page has saved, if nothing of this page would be lost.
  foreign(id, { version, document }) {
    const { session } = this;
    if (session.board?.id !== id || version <= session.board.version || session.edits > session.saved || this.isSaving) return;
    session.board.version = version;
    session.replace(document);
    this.draw();
    announce("another page has changed this analysis");
  }

  // After a new connection: what has happened meanwhile?
  async again() {
    const { session, link } = this;
    const { board } = session;
    if (!board) return this.save();
    try {
      const answer = await link.ask("open", { board: board.id }, true);
      if (session.board?.id === board.id) this.foreign(board.id, answer);
    } catch (error) {
      // A server that has forgotten it gets it again.
      if (!GONE.includes(error.code) || session.board !== board) return;
      session.board = null;
      if (error.code === "unknown-board") session.edits += 1;
    }
    this.save();
  }

  // Opens an analysis of the list. `at` are moves of it.
  async open(board, at = null) {
    await this.save();
    const answer = await this.link.ask("open", { board });
    this.session.open(answer.document, { board: answer.board, name: answer.name, version: answer.version, at: at ?? [] });
    announce(`${answer.name} opened`);
    this.draw();
  }

  async rename(name) {
    const { session } = this;
    session.name = name.trim() || this.suggested();
    try {
      if (session.board) await this.link.ask("rename", { board: session.board.id, name: session.name });
      else this.soon();
    } catch (error) {
      fail(error);
    }
    this.draw();
  }

  async copy(board) {
    const name = this.all.find((one) => one.board === board)?.name;
    await this.link.ask("copy", { board, name: `${name} (copy)` }, true);
    await this.load();
    announce(`${name} copied`);
  }

  async remove(board) {
    const { session } = this;
    const name = this.all.find((one) => one.board === board)?.name;
    await this.link.ask("remove", { board });
    const wasShown = session.board?.id === board;
    if (wasShown) session.board = null;
    await this.load();
    notice(`“${name}” deleted.`, { label: "Undo", seconds: 20, call: () => this.link.ask("restore", { board }).then(() => this.load()).catch(fail) });
  }
}

// A time as text; the server sends text or seconds.
const when = (changed) => {
  const date = new Date(typeof changed === "number" ? changed * (changed < 1e11 ? 1000 : 1) : changed);
  if (Number.isNaN(date.getTime())) return "";
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : date.toLocaleDateString();
};
