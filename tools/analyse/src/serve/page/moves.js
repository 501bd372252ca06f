// The list of moves, and the editor of comments and glyphs.

import { announce } from "./notices.js";
import { button, copy, find, hide, make, reveal, setText, set, soon, sync } from "./dom.js";
import { annotated, nag, NAGS, numbered, numberOf, whiteMoves } from "./text.js";

export class Moves {
  constructor(session) {
    this.session = session;
    this.list = find("#moves");
    this.buttons = new Map();
    this.menu = find("#menu");
    this.list.addEventListener("click", (event) => {
      const at = event.target.closest("[data-node]")?.dataset.node;
      if (at !== undefined) session.go(Number(at));
    });
    this.list.addEventListener("contextmenu", (event) => {
      const at = event.target.closest("[data-node]")?.dataset.node;
      if (at === undefined) return;
      event.preventDefault();
      this.openMenu(Number(at), event);
    });
    this.scrollSoon = soon(() => this.scroll(this.marked));
    // The height of the list depends on the engine's lines.
    new ResizeObserver(this.scrollSoon).observe(this.list);
    this.buildEditor();
    this.buildMenu();
    session.on((what) => this.draw(what));
  }

  draw(what) {
    const { tree } = this.session;
    const wasFocused = this.list.contains(document.activeElement);
    if (tree.state !== this.drawn) {
      this.drawn = tree.state;
      this.buttons = new Map();
      this.drawMain();
    }
    this.mark();
    // The focused move was removed.
    if (wasFocused && !this.list.contains(document.activeElement)) (this.marked ?? this.list).focus({ preventScroll: true });
    if (what === "open") this.refill();
    else if (what !== "info") this.drawEditor();
  }

  // Marks the current move and scrolls the list, but not the page.
  mark() {
    const { tree } = this.session;
    const next = this.buttons.get(tree.at) ?? null;
    const first = this.buttons.values().next().value;
    for (const old of [this.marked, this.entry]) {
      if (!old) continue;
      set(old, "aria-current", null);
      set(old, "tabindex", -1);
    }
    this.entry = next ?? first;
    if (this.entry) set(this.entry, "tabindex", 0);
    if (next) set(next, "aria-current", "true");
    const focused = this.list.contains(document.activeElement);
    if (next && focused && document.activeElement.dataset.node) next.focus({ preventScroll: true });
    this.marked = next;
    this.scrollSoon();
  }

  scroll(element) {
    const { list } = this;
    if (element === this.scrolled && list.clientHeight === this.height) return;
    this.scrolled = element;
    this.height = list.clientHeight;
    reveal(list, element);
    // In low windows the panel scrolls as well.
    if (element && !find("#editor").contains(document.activeElement)) reveal(list.parentElement, element);
  }

  // The main line in two columns, with comments and variations between.
  drawMain() {
    const { tree } = this.session;
    const items = [];
    const root = tree.node(0);
    if (root.comment) items.push({ key: "c0", kind: "comment", text: root.comment });
    let at = root;
    let isOpen = false;
    while (at.children.length) {
      const [main, ...others] = at.children;
      const node = tree.node(main);
      const white = whiteMoves(at.fen);
      if (node.before) items.push({ key: `b${main}`, kind: "comment", text: node.before });
      if (white || !isOpen || node.before) items.push({ key: `i${main}`, kind: "index", text: numberOf(at.fen).replace("…", ".") });
      if (!white && (!isOpen || node.before)) items.push({ key: `e${main}`, kind: "empty", text: "…" });
      items.push({ key: `m${main}`, kind: "move", node, fen: at.fen });
      isOpen = white;
      if (node.comment || others.length) {
        if (white) items.push({ key: `f${main}`, kind: "empty", text: "" });
        if (node.comment) items.push({ key: `c${main}`, kind: "comment", text: node.comment });
        for (const other of others) items.push({ key: `v${other}`, kind: "variation", head: other });
        isOpen = false;
      }
      at = node;
    }
    const { result } = tree.state;
    if (result && result !== "*" && items.length) items.push({ key: "result", kind: "result", text: result });
    hide(find("#no-moves"), items.length > 0);
    this.sync(this.list, items);
  }

  // A variation as text; nested ones are indented.
  chain(head) {
    const { tree } = this.session;
    const items = [];
    let [node, isFirst] = [tree.node(head), true];
    let others = [];
    for (;;) {
      const before = tree.node(node.parent);
      if (node.before) items.push({ key: `b${node.id}`, kind: "words", text: node.before });
      items.push({ key: `m${node.id}`, kind: "move", node, fen: before.fen, shows: isFirst || whiteMoves(before.fen) || Boolean(node.before) });
      isFirst = Boolean(node.comment) || others.length > 0;
      if (node.comment) items.push({ key: `c${node.id}`, kind: "words", text: node.comment });
      for (const other of others) items.push({ key: `v${other}`, kind: "variation", head: other });
      if (!node.children.length) return items;
      others = node.children.slice(1);
      node = tree.node(node.children[0]);
    }
  }

  sync(parent, items) {
    sync(parent, items, (item) => this.build(item), (element, item) => this.update(element, item));
  }

  build({ kind }) {
    if (kind === "move") return button("", { class: "move", tabindex: -1 }, make("span", { class: "number" }), make("span", { class: "san" }), make("span", { class: "glyphs" }), make("span", { class: "eval" }));
    if (kind === "variation") return make("div", { class: "variation", role: "group", "aria-label": "variation" });
    return make({ comment: "p", words: "span", result: "p" }[kind] ?? "span", { class: kind });
  }

  update(element, item) {
    if (item.kind === "variation") {
      this.sync(element, this.chain(item.head));
    } else if (item.kind === "move") {
      const { node } = item;
      const [before, san, glyphs, value] = element.children;
      element.dataset.node = node.id;
      this.buttons.set(node.id, element);
      setText(before, `${numberOf(item.fen)} `);
      before.classList.toggle("hidden", !item.shows);
      setText(san, node.san);
      const nags = node.nags ?? [];
      setText(glyphs, nags.map(nag).join(" "));
      set(element, "data-nag", nags[0]);
      set(element, "title", nags.map((value) => NAGS.get(value)?.[1]).filter(Boolean).join(", ") || null);
      const marks = (node.arrows?.length || node.circles?.length) ? "◎" : "";
      setText(value, [annotated(node.eval), node.clock, marks].filter(Boolean).join(" "));
    } else {
      setText(element, item.text);
    }
  }

  // The editor of the current move.
  buildEditor() {
    const { session } = this;
    const edits = (selector, field) => find(selector).addEventListener("input", (event) => {
      const { at } = session.tree;
      const text = event.target.value;
      session.edit((tree) => tree.setNode(at, { [field]: text }, `${field}${at}`));
    });
    edits("#comment", "comment");
    edits("#before", "before");
    find("#shapes").addEventListener("change", (event) => {
      const all = event.target.value.split(/[\s,]+/).map((text) => text.replace(/^([a-h])/, "G$1"));
      this.setShapes(all);
    });
    const glyphs = find("#glyphs");
    for (const [value, [sign, name]] of NAGS) glyphs.append(button(sign, { "data-nag": value, title: name, "aria-label": `${sign} ${name}`, "aria-pressed": "false" }));
    glyphs.addEventListener("click", (event) => {
      const value = Number(event.target.closest("button")?.dataset.nag);
      if (value) this.toggleNag(value);
    });
    const acts = { undo: () => this.undo(false), redo: () => this.undo(true), promote: () => this.act("promote"), main: () => this.act("main"), remove: () => this.act("remove") };
    for (const [name, act] of Object.entries(acts)) find(`#${name}`).addEventListener("click", act);
    find("#annotate").addEventListener("click", () => this.annotate());
  }

  annotate(isOpen = find("#editor").hidden) {
    hide(find("#editor"), !isOpen);
    set(find("#annotate"), "aria-expanded", String(isOpen));
    if (isOpen) {
      this.drawEditor();
      find("#comment").focus();
    }
  }

  // Sets arrows and circles of the current move.
  setShapes(all) {
    const { at } = this.session.tree;
    const valid = (length) => all.filter((text) => text.length === length && /^[GRYB]([a-h][1-8])+$/.test(text));
    this.session.edit((tree) => tree.setNode(at, { arrows: valid(5), circles: valid(3) }));
  }

  toggleNag(value) {
    const { at } = this.session.tree;
    const nags = this.session.node.nags ?? [];
    // At most one mark of move quality.
    const kept = value <= 7 ? nags.filter((other) => other > 7) : nags.filter((other) => other !== value);
    this.session.edit((tree) => tree.setNode(at, { nags: nags.includes(value) ? nags.filter((other) => other !== value) : [...kept, value].sort((a, b) => a - b) }));
  }

  drawEditor() {
    const { session } = this;
    const { tree, node } = session;
    const isRoot = node.parent === null;
    const fill = (field, text) => { if (field.value !== text && !(field === document.activeElement && field.dataset.at === String(node.id))) field.value = text; field.dataset.at = node.id; };
    set(find("#undo"), "disabled", !tree.undos.length);
    set(find("#redo"), "disabled", !tree.redos.length);
    set(find("#promote"), "disabled", isRoot || tree.head(node.id) === null);
    set(find("#main"), "disabled", isRoot || tree.isMain(node.id));
    set(find("#remove"), "disabled", isRoot);
    if (find("#editor").hidden) return;
    setText(find("#editor h2"), tree.name() || "The position");
    fill(find("#comment"), node.comment ?? "");
    fill(find("#before"), node.before ?? "");
    fill(find("#shapes"), [...(node.arrows ?? []), ...(node.circles ?? [])].join(" "));
    for (const name of ["#before", "#glyphs"]) hide(find(name).closest("label") ?? find(name), isRoot);
    for (const one of find("#glyphs").children) set(one, "aria-pressed", String((node.nags ?? []).includes(Number(one.dataset.nag))));
  }

  // Draws the editor, and replaces what is being typed.
  refill() {
    for (const field of [find("#comment"), find("#before"), find("#shapes")]) delete field.dataset.at;
    this.drawEditor();
  }

  undo(isRedo) {
    const done = this.session.edit((tree) => (isRedo ? tree.redo() : tree.undo()));
    this.refill();
    announce(done ? (isRedo ? "redone" : "undone") : isRedo ? "nothing to redo" : "nothing to undo");
  }

  act(what, id = this.session.tree.at) {
    const { session } = this;
    const { tree } = session;
    const { parent = null, san } = tree.node(id) ?? {};
    // The root is no move, and the move of the menu may be removed meanwhile.
    if (parent === null) return;
    if (what === "promote") session.edit(() => tree.promote(id));
    if (what === "main") session.edit(() => tree.makeMain(id));
    if (what === "remove") session.edit(() => tree.remove(id));
    if (what === "annotate") {
      session.go(id);
      this.annotate(true);
    }
    if (what === "copy") {
      const text = numbered(tree.node(0).fen, tree.path(id).map(({ san: one }) => one)).join(" ");
      copy(text).then((copied) => announce(copied ? "moves copied" : "copying failed"));
    }
    if (what === "remove") announce(`${san} and following moves removed`);
    if (what === "promote" || what === "main") announce(`${san} moved up`);
  }

  buildMenu() {
    const { menu } = this;
    const items = [["annotate", "Comment and glyphs…"], ["promote", "Variation up"], ["main", "Make main line"], ["copy", "Copy moves up to here"], ["remove", "Delete from here"]];
    menu.append(...items.map(([act, text]) => button(text, { role: "menuitem", tabindex: -1, "data-act": act })));
    const close = (focus) => {
      if (menu.hidden) return;
      hide(menu, true);
      if (focus) this.buttons.get(this.menuAt)?.focus();
    };
    menu.addEventListener("click", (event) => {
      const act = event.target.closest("button")?.dataset.act;
      close(true);
      if (act) this.act(act, this.menuAt);
    });
    menu.addEventListener("keydown", (event) => {
      const all = [...menu.children].filter((one) => !one.disabled);
      const at = all.indexOf(document.activeElement);
      const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
      if (next !== undefined) all[(next + all.length) % all.length].focus();
      else if (event.key === "Escape" || event.key === "Tab") close(true);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    document.addEventListener("pointerdown", (event) => { if (!menu.contains(event.target)) close(false); });
  }

  openMenu(id, event) {
    const { menu, session } = this;
    this.menuAt = id;
    hide(menu, false);
    set(find('[data-act="promote"]', menu), "disabled", session.tree.head(id) === null);
    set(find('[data-act="main"]', menu), "disabled", session.tree.isMain(id));
    // A menu opened by keyboard appears at the move.
    const box = event.target.getBoundingClientRect();
    const [x, y] = event.clientX || event.clientY ? [event.clientX, event.clientY] : [box.left, box.bottom];
    menu.style.left = `${Math.max(4, Math.min(x, innerWidth - menu.offsetWidth - 4))}px`;
    menu.style.top = `${Math.max(4, Math.min(y, innerHeight - menu.offsetHeight - 4))}px`;
    find("button:not(:disabled)", menu).focus();
  }
}
