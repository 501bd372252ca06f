// Connects the parts of the page.

import { Bar, Board } from "./board.js";
import { Boards, GONE } from "./boards.js";
import { Course } from "./course.js";
import { find, findAll, setText, set, soon, store } from "./dom.js";
import { Engine } from "./engine.js";
import { Files } from "./files.js";
import { bindKeys, bindTabs, bindWheel } from "./keys.js";
import { Link } from "./link.js";
import { Moves } from "./moves.js";
import { announce, fail, notice } from "./notices.js";
import { Preview } from "./preview.js";
import { Queue } from "./queue.js";
import { Report } from "./report.js";
import { fields, Session } from "./session.js";
import { Setup } from "./setup.js";
import { brief, described, markOf, nag, START, whiteMoves } from "./text.js";
import { Tablebase } from "./tablebase.js";
import { Tags } from "./tags.js";
import { blank } from "./tree.js";
import { TreeView } from "./treeview.js";

const link = new Link();
const session = new Session(link);
const board = new Board(find("#board"), {
  on: {
    move: (move) => session.play(move),
    lost: (all) => fail(new Error(`Not possible in this position: ${all.map((ends) => ends.join("–")).join(", ")}.`)),
    shapes: (shapes) => moves.setShapes(shapes),
  },
});
const bar = new Bar(find("#board"));
const preview = new Preview(find("#preview"), async (place, pv) => (await link.ask("line", { ...place, pv })).fens[pv.length - 1]);
const moves = new Moves(session);
const engine = new Engine(session, link, preview);
const boards = new Boards(session, link);
const files = new Files(session, link);
const setup = new Setup(session, link, (start, chess960) => startNew({ start, chess960, moves: [] }));
const queue = new Queue(session, link);
new Report(session);
const treeView = new TreeView(session, link);
const course = new Course();
new Tablebase(session);
new Tags(session);

// Draws the board with the information about the position.
const drawBoard = () => {
  const { node, info, tree } = session;
  const last = node.uci && node.uci !== "0000" ? [node.uci.slice(0, 2), node.uci.slice(2, 4)] : null;
  const mark = markOf(node);
  board.show({ fen: node.fen, last: info?.last ?? last, check: info?.check ?? null, legal: session.legal, badge: mark && [nag(mark), mark] });
  board.setShapes([...(node.arrows ?? []), ...(node.circles ?? [])]);
  const turn = whiteMoves(node.fen) ? "White" : "Black";
  const over = info?.over;
  setText(find("#turn"), over ? `${over.result} · ${over.why}` : `${turn} to move`);
  find("#turn").classList.toggle("black", turn === "Black");
  if (info) setText(find("#opening"), info.opening ? `${info.opening.eco} ${info.opening.name}` : "");
  const name = tree.name();
  const said = `${name && `${name}. `}${over ? `${over.result}, ${over.why}` : `${turn} to move${info?.check ? ", check" : ""}`}.`;
  set(board.svg, "aria-label", `Board. ${said}`);
  setText(find("#board-text"), described(node.fen));
  for (const [id, isEnd] of [["#go-first", tree.at === 0], ["#go-back", tree.at === 0], ["#go-on", !node.children.length], ["#go-last", !node.children.length]]) set(find(id), "aria-disabled", String(isEnd));
};

// Draws arrows of the lines, wider for better ones, and the bar.
const drawEngine = (result) => {
  const here = result && engine.isHere ? result : null;
  const lines = here?.lines.filter((line) => line.pv.length) ?? [];
  const best = lines[0];
  const sign = here && whiteMoves(here.fen) ? 1 : -1;
  const shown = lines.map((line, at) => {
    const loss = Math.max(0, sign * ((best.expected ?? 0.5) - (line.expected ?? 0.5)));
    return { from: line.pv[0].slice(0, 2), to: line.pv[0].slice(2, 4), width: Math.max(4, Math.round(at === 0 ? 18 : 14 - 100 * loss)), kind: engine.isThreat ? "threat" : at === 0 ? "best" : "other", loss };
  }).filter(({ loss }) => loss < 0.12).reverse();
  board.setLines(shown);
  if (engine.isThreat) return bar.show(null, "", board.turned);
  bar.show(best?.expected ?? finished(), best ? brief(best.score) : "", board.turned);
};

// White's score of a finished game.
const finished = () => ({ "1-0": 1, "0-1": 0, "1/2-1/2": 0.5 })[session.info?.over?.result] ?? null;
engine.on(drawEngine);
engine.on((result) => course.show(result?.course ?? []));
let problem = null;
link.on("status", ({ problem: now }) => {
  if (now === problem) return;
  problem = now;
  notice(problem ? `Results are not stored: ${problem}.` : "Results are stored again.");
});

// Starts a new analysis after saving the previous one.
const startNew = async ({ start = null, chess960 = false, moves: line = [] }, ply = null) => {
  await boards.save();
  boards.offerUnsaved();
  session.open(blank(start, chess960));
  if (!line.length) return;
  const { tree } = session;
  try {
    await session.addLine(0, line);
    if (tree === session.tree && ply !== null) session.go(tree.follow(line.slice(0, ply)));
  } catch (error) {
    fail(error);
  }
};

const openDocument = async (document) => {
  await boards.save();
  boards.offerUnsaved();
  session.open(document);
  session.edits = 1;
  boards.saveSoon();
  announce(`game opened, ${session.tree.plies} plies`);
};
files.onOpen = openDocument;
files.onQueue = (file, games) => queue.addGames(file, games);
queue.onOpen = (place) => startNew(place).catch(fail);
queue.onBoard = async (board) => {
  await boards.open(board);
  chooseTab(find("#tab-moves"));
};
preview.isTurned = () => board.turned;
setup.isTurned = () => board.turned;
for (const part of [session, engine, treeView]) part.onError = fail;

const flip = () => {
  board.turn(!board.turned);
  find("#board").classList.toggle("turned", board.turned);
  drawEngine(engine.currentResult);
  announce(`board seen by ${board.turned ? "Black" : "White"}`);
};

const show = soon(() => { drawBoard(); drawEngine(engine.currentResult); });
session.on((what) => {
  if (what === "open") {
    preview.hide();
  }
  show();
  if (what !== "info") {
    setText(find("#typed-error"), "");
    announceMove(what);
    writeAddress();
  }
});

// Announces the current move.
const announceMove = (what) => {
  const { tree } = session;
  if (what === "go" || (what === "edit" && tree.at !== announceMove.at)) announce(tree.name() || "start of the game");
  announceMove.at = tree.at;
};

// Stores the position in the address. Browsers limit the rate of changes.
let addressTimer = null;
const writeAddress = () => {
  if (addressTimer) return;
  addressTimer = setTimeout(() => {
    addressTimer = null;
    if (!hasOpened) return;
    document.title = session.name ? `${session.name} – Lento` : "Lento";
    try {
      history.replaceState(null, "", location.pathname + location.search + session.address());
    } catch {
      // The next change may succeed.
    }
    // A reload recognises the draft by the address.
    if (session.edits > session.saved) session.saveDraft();
  }, 400);
};
boards.onNamed = writeAddress;

let hasOpened = false;

// Opens an address with `board`, `game`, `fen` or `moves`.
const openAddress = async (hash) => {
  const { board: id, at, game, fen, moves: line, ply, chess960 } = fields(hash);
  if (id) return boards.open(id, at ? at.split(",") : []);
  if (game) {
    const [file, index] = game.split("/");
    return openDocument((await link.ask("game", { file, index: Number(index) || 0 })).document);
  }
  let start = fen ? fen.replace(/_/g, " ") : null;
  let known = chess960 === "1";
  if (start) {
    const checked = await link.ask("setup", { fen: start });
    if (!checked.fen) throw new Error(checked.problems.map((problem) => problem.text ?? problem).join("; "));
    start = checked.fen === START ? null : checked.fen;
    known ||= checked.chess960;
  }
  return startNew({ start, chess960: known, moves: line ? line.split(",") : [] }, ply === undefined ? null : Number(ply));
};

const openFirst = async () => {
  const draft = store.get("draft", null, "sessionStorage") ?? store.get("draft");
  const { board: id, at } = fields(location.hash);
  const isLink = location.hash.length > 1;
  const known = draft?.document?.nodes?.length ? draft : null;
  const restore = (board, edits = 1) => {
    session.open(known.document, { board: board?.id ?? null, version: board?.version, name: known.name, at: known.at });
    session.edits = edits;
    boards.saveSoon();
    // Applies or offers what others have changed since.
    if (board) boards.resync();
  };
  const isUnsaved = known && !known.isSaved;
  // A draft that is not saved on the server has priority, unless a link names another analysis.
  if (isUnsaved && (id ? id === known.board?.id : !isLink || location.hash === known.hash)) return restore(known.board);
  if (isUnsaved) {
    // What opens next replaces the draft, but first saves it or offers it.
    await boards.load();
    if (boards.mayEdit) restore(known.board);
  }
  if (isLink && !id) return openAddress(location.hash);
  const wanted = id ?? known?.board?.id;
  if (!wanted) return;
  try {
    await boards.open(wanted, id ? (at ?? "").split(",") : known.at);
  } catch (error) {
    if (!GONE.includes(error.code) || wanted !== known?.board?.id) throw error;
    // A removed analysis is saved again only after an edit.
    restore(null, error.code === "removed" ? 0 : 1);
  }
};

// Opens the address on the first connection.
link.on("open", () => {
  document.body.classList.remove("offline");
  session.loadInfo();
  if (openFirst.begun) return;
  openFirst.begun = true;
  openFirst().catch(fail).finally(() => { hasOpened = true; });
});
link.on("close", () => {
  document.body.classList.add("offline");
  show();
});
window.addEventListener("hashchange", () => { openAddress(location.hash).catch(fail); });
document.addEventListener("unstored", () => notice("This browser cannot store settings.", { isError: true }));

const actions = {
  back: () => session.back(),
  forward: () => session.forward(),
  next: () => session.sibling(1),
  previous: () => session.sibling(-1),
  first: () => session.first(),
  last: () => session.last(),
  flip,
  engine: () => engine.toggle(),
  threat: () => engine.toggleThreat(),
  best: () => engine.best(),
  speak: () => engine.speak(),
  comment: () => { chooseTab(find("#tab-moves")); moves.annotate(true); },
  type: () => find("#typed").focus(),
  keep: () => engine.keep(),
  mistake: () => { if (!session.mistake(true)) announce("no further mistake"); },
  earlier: () => { if (!session.mistake(false)) announce("no earlier mistake"); },
  remove: () => moves.act("remove"),
  undo: () => moves.undo(false),
  redo: () => moves.undo(true),
  more: () => { engine.setCount(engine.count + 1); engine.update(); engine.redraw(); },
  fewer: () => { engine.setCount(engine.count - 1); engine.update(); engine.redraw(); },
  keys: () => find("#keys-dialog").showModal(),
};
bindKeys(actions);
bindWheel(find("#board"), actions);
const chooseTab = bindTabs(find("[role=tablist]"), (id) => {
  treeView.show(id === "tab-tree");
  if (id === "tab-moves") moves.mark();
});
const buttons = { "#go-first": "first", "#go-back": "back", "#go-on": "forward", "#go-last": "last", "#flip": "flip", "#show-keys": "keys", "#keep": "keep", "#mistake": "mistake", "#earlier": "earlier" };
for (const [id, action] of Object.entries(buttons)) find(id).addEventListener("click", actions[action]);
find("#new").addEventListener("click", () => { startNew({}).catch(fail); });
find("#drawing").addEventListener("click", (event) => {
  board.drawing = !board.drawing;
  set(event.currentTarget, "aria-pressed", String(board.drawing));
});
find("#type").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = find("#typed");
  const text = field.value.trim();
  if (!text) return;
  setText(find("#typed-error"), "");
  const played = board.pending.length ? Promise.reject(new Error("The moves on the board are not confirmed yet.")) : session.type(text);
  field.value = "";
  played.catch((error) => {
    field.value ||= text;
    setText(find("#typed-error"), error.message);
    announce(error.message);
  });
});
find("#restrict").addEventListener("toggle", () => engine.redraw());
for (const dialog of findAll("dialog")) {
  dialog.addEventListener("click", (event) => { if (event.target === dialog || event.target.closest("[data-close]")) dialog.close(); });
}

drawBoard();
link.connect();
