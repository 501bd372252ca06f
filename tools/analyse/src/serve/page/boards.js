// The list of saved analyses, and saving of the shown one.

import { announce, fail, notice } from "./notices.js";
import { button, find, hide, icon, make, setText, set, sync } from "./dom.js";
import { plural } from "./text.js";
import { blank, Tree } from "./tree.js";

// Milliseconds from an edit to its save.
const DELAY = 1000;
// Milliseconds until a failed save is repeated, unless there is another edit.
const RETRY_DELAY = 10000;
// Maximum characters of a name, as in its field. The server accepts a few more.
const MAX_NAME = 120;
// Error codes for boards that are not on the server.
export const GONE = ["unknown-board", "removed"];

export class Boards {
  constructor(session, link) {
    Object.assign(this, { session, link, all: null, mayEdit: true, saving: null, failure: null });
    this.list = find("#boards");
    link.on("boards", () => this.load());
    link.on("open", () => { this.load(); this.resync(); });
    link.on("board", (event) => this.applyRemote(event.board, event));
    link.on("hello", ({ may }) => {
      this.mayEdit = may !== "view";
      document.body.classList.toggle("view", !this.mayEdit);
      find("#name").readOnly = !this.mayEdit;
      this.draw();
    });
    session.on((what) => {
      if (what === "edit") this.saveSoon();
      if (what !== "open") return;
      this.failure = null;
      this.draw();
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
    setText(find("#no-boards"), this.all === null ? "This server stores no analyses." : this.all.length ? (all.length ? "" : "No matches.") : "None yet. Analyses are saved from the first edit.");
    hide(find("#no-boards"), all.length > 0);
    hide(find("#search-boards").parentElement, (this.all?.length ?? 0) < 8);
    sync(this.list, all.map((one) => ({ key: one.board, one })), ({ key }) => {
      const act = (name, text, label) => button("", { "data-act": name, ...(label ? { class: "plain", title: label } : { class: "game" }) }, ...(label ? [icon(text)] : [make("span", { class: "players" }), make("span", { class: "faint" })]));
      return make("li", { "data-board": key }, act("open", ""), act("copy", "copy", "copy"), act("remove", "remove", "delete"));
    }, (element, { one }) => {
      const [open, copied, remove] = element.children;
      const isShown = session.board?.id === one.board;
      set(open, "aria-current", isShown ? "true" : null);
      setText(open.children[0], one.name);
      setText(open.children[1], `${plural(one.plies, "ply").replace("plys", "plies")} · ${when(one.changed)}${isShown ? " · shown" : ""}`);
      for (const [other, word] of [[copied, "copy"], [remove, "delete"]]) {
        set(other, "aria-label", `${word} ${one.name}`);
        hide(other, !this.mayEdit);
      }
    });
    const field = find("#name");
    if (field !== document.activeElement && field.value !== session.name) field.value = session.name;
    this.showState();
  }

  // Whether there is nothing to save: a position without moves or notes.
  get isBlank() {
    const { board, tree } = this.session;
    return !board && !tree.plies && JSON.stringify(tree.document()) === JSON.stringify(blank(tree.state.start, tree.state.chess960));
  }

  // Shows whether the analysis is saved.
  showState() {
    const { session } = this;
    let text = "";
    if (!this.mayEdit) text = "view only, not saved";
    else if (session.edits > session.saved && !this.isBlank) text = this.link.isOpen ? (this.stale || this.failure ? "not saved" : "saving…") : "not connected, saved in this browser";
    else if (session.board) text = "saved";
    setText(find("#saved"), text);
  }

  // A name from the tags or the opening.
  suggestedName() {
    const { tree, info } = this.session;
    const tag = (name) => tree.state.tags.find(([key]) => key === name)?.[1];
    const player = (name) => (tag(name) && tag(name) !== "?" ? tag(name) : null);
    if (player("White") || player("Black")) return cut(`${player("White") ?? "?"} – ${player("Black") ?? "?"}`);
    return info?.opening?.name ?? `Analysis of ${new Date().toLocaleDateString()}`;
  }

  saveSoon(delay = DELAY) {
    clearTimeout(this.timer);
    this.session.saveDraft();
    this.timer = setTimeout(() => this.save(), delay);
    this.showState();
  }

  // Saves the shown analysis if it has changed, after a running save.
  async save() {
    while (this.saving) await this.saving;
    this.saving = this.saveNow().finally(() => { this.saving = null; });
    return this.saving;
  }

  async saveNow() {
    const { session, link } = this;
    clearTimeout(this.timer);
    if (!this.mayEdit || this.all === null || session.edits === session.saved || !link.isOpen) return;
    if (this.isBlank) return;
    const { tree, edits, board } = session;
    if (!session.name) session.name = this.suggestedName();
    const { name } = session;
    const document = tree.document();
    try {
      // Others may have renamed a saved one.
      const answer = await link.ask("save", { board: board?.id ?? null, version: board?.version ?? 0, name: board ? null : name, document }, true);
      if (tree === session.tree) {
        this.failure = null;
        session.board = { id: answer.board, version: answer.version };
        session.saved = edits;
        session.saveDraft();
        this.onNamed?.();
        // Renamed before there was a board to rename.
        if (!board && name !== session.name) this.rename(session.name);
      }
    } catch (error) {
      if (tree !== session.tree || error.code === "closed") return;
      if (error.code === "stale") await this.resolveStale(error.error, document, edits);
      else if (GONE.includes(error.code)) session.board = null;
      else {
        if (error.message !== this.failure) fail(error);
        this.failure = error.message;
      }
    } finally {
      this.draw();
      if (tree === session.tree && session.edits > session.saved && link.isOpen) this.saveSoon(this.failure && edits === session.edits ? RETRY_DELAY : DELAY);
    }
  }

  // Handles a newer version saved by another page. The save lasts until the user has answered, since opening another analysis waits for
  // it. `own` is the document of this page after `edits`, which is also stored if only the answer to its save was lost.
  async resolveStale({ document, version }, own, edits) {
    const { session } = this;
    const { board } = session;
    // The server orders fields differently.
    const stored = document && new Tree(document).document();
    if (stored && ["nodes", "tags", "result"].every((part) => JSON.stringify(stored[part]) === JSON.stringify(own[part]))) {
      session.board = { ...board, version };
      session.saved = edits;
      session.saveDraft();
      return;
    }
    this.stale = true;
    this.showState();
    const dialog = find("#stale-dialog");
    // Dismissed, it keeps both.
    dialog.returnValue = "copy";
    dialog.showModal();
    await new Promise((done) => { dialog.onclose = done; });
    this.stale = false;
    if (dialog.returnValue === "copy") {
      const name = `${cut(session.name)} (mine)`;
      try {
        // A copy by the server keeps the report.
        const { board: copied } = await this.link.ask("copy", { board: board.id, name }, true);
        session.board = { id: copied, version: 1 };
      } catch (error) {
        if (!GONE.includes(error.code)) return fail(error);
        session.board = null;
      }
      session.name = name;
      await this.saveNow();
    } else if (document) {
      session.board = { ...board, version };
      session.replace(document);
      session.saveDraft();
      // Others may have saved it again before the answer.
      this.resync();
    }
  }

  // Applies a change of another page, unless this one has unsaved edits.
  applyRemote(id, { version, document }) {
    const { session } = this;
    if (session.board?.id !== id || version <= session.board.version || this.saving) return;
    if (session.edits > session.saved) {
      // Read-only visitors cannot save their moves.
      if (!this.mayEdit) this.offerNewer(id);
      return;
    }
    session.board.version = version;
    session.replace(document);
    session.saveDraft();
    this.draw();
    announce("another page has changed this analysis");
  }

  // Offers the version of another page instead of unsaved moves.
  offerNewer(id) {
    if (this.offered === id && this.offer.isConnected) return;
    this.offer?.remove();
    const call = () => this.open(id, this.session.tree.moves()).catch(fail);
    this.offered = id;
    this.offer = notice("Another page has changed this analysis.", { label: "Show it", seconds: 30, call });
  }

  // Synchronises with the server after a new connection.
  async resync() {
    const { session, link } = this;
    const { board } = session;
    if (!board) return this.save();
    try {
      const answer = await link.ask("open", { board: board.id }, true);
      if (session.board?.id === board.id) this.applyRemote(board.id, answer);
    } catch (error) {
      // If the server does not have the board, saves it again.
      if (!GONE.includes(error.code) || session.board !== board) return;
      session.board = null;
      if (error.code === "unknown-board") session.edits += 1;
    }
    this.save();
  }

  // Opens a saved analysis at a position given by moves.
  async open(board, at = null) {
    const { session } = this;
    await this.save();
    const answer = await this.link.ask("open", { board });
    // Saves edits made meanwhile or without a connection, which may make the answer outdated.
    await this.save();
    if (session.board?.id === board && session.board.version > answer.version) return;
    this.offerUnsaved();
    session.open(answer.document, { board: answer.board, name: answer.name, version: answer.version, at: at ?? [] });
    announce(`${answer.name} opened`);
    this.draw();
  }

  // Offers to return to an analysis that could not be saved.
  offerUnsaved() {
    const { session } = this;
    if (session.edits === session.saved || this.isBlank) return;
    const { tree, board: saved, name, report } = session;
    const kept = { board: saved?.id ?? null, name, version: saved?.version ?? 0, at: tree.moves() };
    const back = async () => {
      await this.save();
      this.offerUnsaved();
      session.open({ ...tree.document(), report }, kept);
      session.edits = 1;
      this.saveSoon();
    };
    notice("The previous analysis is not saved on the server.", { label: "Return to it", seconds: 30, call: () => back().catch(fail) });
  }

  async rename(name) {
    const { session } = this;
    session.name = name.trim() || this.suggestedName();
    try {
      if (session.board) await this.link.ask("rename", { board: session.board.id, name: session.name });
      else this.saveSoon();
      this.onNamed?.();
    } catch (error) {
      fail(error);
    }
    this.draw();
  }

  async copy(board) {
    const name = this.all.find((one) => one.board === board)?.name;
    await this.link.ask("copy", { board }, true);
    await this.load();
    announce(`${name} copied`);
  }

  async remove(board) {
    const { session } = this;
    const name = this.all.find((one) => one.board === board)?.name;
    // Undo restores pending edits as well.
    await this.save();
    // A request that is sent again, since its answer was lost, fails.
    await this.link.ask("remove", { board }).catch((error) => { if (!GONE.includes(error.code)) throw error; });
    const { tree, board: shown } = session;
    if (shown?.id === board) session.board = null;
    await this.load();
    const undo = async () => {
      await this.link.ask("restore", { board });
      if (shown?.id === board && tree === session.tree) session.board ??= shown;
      await this.load();
    };
    notice(`“${name}” deleted.`, { label: "Undo", seconds: 20, call: () => undo().catch(fail) });
  }
}

const cut = (name) => [...name].slice(0, MAX_NAME).join("");

// A time as text, from text or a number of seconds or milliseconds.
const when = (changed) => {
  const date = new Date(typeof changed === "number" ? changed * (changed < 1e11 ? 1000 : 1) : changed);
  if (Number.isNaN(date.getTime())) return "";
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : date.toLocaleDateString();
};
