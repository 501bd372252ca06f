// The tags and the result of the game.

import { button, find, make, setText, set, sync } from "./dom.js";

const USUAL = ["Event", "Site", "Date", "Round", "White", "Black"];

export class Tags {
  constructor(session) {
    this.session = session;
    this.part = find("#tags");
    this.rows = find("#tag-rows");
    this.rows.addEventListener("change", () => this.write());
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest("[data-remove]")?.closest("li");
      if (!row) return;
      row.querySelectorAll("input").forEach((field) => { field.value = ""; });
      this.write();
      find("#tag-add").focus();
    });
    find("#result").addEventListener("change", () => this.write());
    find("#tag-add").addEventListener("click", () => {
      this.extra += 1;
      this.draw();
      [...this.rows.querySelectorAll("input")].at(-2).focus();
    });
    this.part.addEventListener("toggle", () => this.draw());
    session.on((what) => {
      if (what === "open") this.extra = 0;
      if (what === "open" || what === "edit") this.draw();
    });
    this.extra = 0;
  }

  // The usual tags, which keep their rows, other ones, then empty rows. `isWritten`: the focused field has been read.
  draw(isWritten = false) {
    const { tags, result } = this.session.tree.state;
    const shown = tags.map(([name]) => name).filter((name) => ["White", "Black", "Event"].includes(name));
    const text = (name) => tags.find(([key]) => key === name)?.[1];
    setText(find("summary", this.part), shown.length ? `${text("White") ?? "?"} – ${text("Black") ?? "?"}${(text("Event") ?? "?") === "?" ? "" : `, ${text("Event")}`}` : "Tags");
    if (!this.part.open) return;
    const usual = USUAL.map((name) => [name, text(name) ?? ""]);
    const others = tags.filter(([name]) => !USUAL.includes(name));
    const all = [...usual, ...others, ...Array.from({ length: this.extra }, () => ["", ""])];
    sync(this.rows, all.map((tag, key) => ({ key, tag })), () => make("li", {}, make("input", { "aria-label": "name of the tag", maxlength: 100, autocomplete: "off" }), make("input", { "aria-label": "value", maxlength: 500, autocomplete: "off" }), button("×", { class: "plain", "data-remove": true })), (row, { tag: [name, value] }) => {
      const [key, field, remove] = row.children;
      for (const [input, known] of [[key, name], [field, value]]) if ((isWritten || input !== document.activeElement) && input.value !== known) input.value = known;
      set(field, "aria-label", name ? `value of ${name}` : "value");
      set(remove, "aria-label", `remove ${name || "the tag"}`);
    });
    find("#result").value = result;
  }

  write() {
    const read = (row) => [...row.querySelectorAll("input")].map((field) => field.value.trim());
    // Names consist of letters, digits and underscores.
    const tags = [...this.rows.children].map(read).map(([name, value]) => [name.replace(/\W/g, ""), value]).filter(([name, value]) => name && value);
    const { tree } = this.session;
    const result = find("#result").value;
    if (JSON.stringify([tags, result]) === JSON.stringify([tree.state.tags, tree.state.result])) return;
    this.extra = 0;
    this.session.edit(() => tree.setTags(tags, result));
    this.draw(true);
  }
}
