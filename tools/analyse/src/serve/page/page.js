"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const FILES = "abcdefgh";
  const find = (selector) => document.querySelector(selector);
  const positions = new Map();
  let chosen = null;
  let line = 0;
  let step = 0;
  let turned = false;
  let paused = false;
  let server = {};
  let socket = null;
  // The node of the tree that is shown, and its moves from the root.
  let tree = null;
  let path = [];

  const made = (name, className, ...parts) => {
    const element = document.createElement(name);
    element.className = className;
    element.append(...parts);
    return element;
  };
  const node = (name, attributes) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  const seconds = (ms) => (ms < 1000 ? `${ms} ms` : ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : ms < 3600000 ? `${(ms / 60000).toFixed(1)} min` : `${(ms / 3600000).toFixed(1)} h`);
  const whiteMoves = (fen) => fen.split(" ")[1] === "w";

  // A score from White's view.
  const value = (score, fen) => {
    const sign = whiteMoves(fen) ? 1 : -1;
    if (score.mate !== undefined) return `${sign * score.mate < 0 ? "−" : ""}#${Math.abs(score.mate)}`;
    const pawns = (sign * score.cp) / 100;
    return (pawns > 0 ? "+" : pawns < 0 ? "−" : "") + Math.abs(pawns).toFixed(2);
  };
  const percent = (found, fen) => {
    const own = (found.wdl[0] + found.wdl[1] / 2) / 10;
    return whiteMoves(fen) ? own : 100 - own;
  };

  // Maps squares to pieces.
  const pieces = (fen) => {
    const all = new Map();
    fen.split(" ")[0].split("/").forEach((row, down) => {
      let file = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") file += Number(letter);
        else all.set(FILES[file++] + (8 - down), letter);
      }
    });
    return all;
  };

  // Plays a legal move in UCI notation.
  const play = (all, move) => {
    const [from, to] = [move.slice(0, 2), move.slice(2, 4)];
    const piece = all.get(from);
    const other = all.get(to);
    const isKing = piece === "K" || piece === "k";
    const span = FILES.indexOf(to[0]) - FILES.indexOf(from[0]);
    const rook = piece === "K" ? "R" : "r";
    all.delete(from);
    if (isKing && (other === rook || Math.abs(span) === 2)) {
      const corner = other === rook ? to : (span > 0 ? "h" : "a") + from[1];
      all.delete(corner);
      all.set((span > 0 ? "g" : "c") + from[1], piece);
      all.set((span > 0 ? "f" : "d") + from[1], rook);
      return;
    }
    if ((piece === "P" || piece === "p") && span !== 0 && !other) all.delete(to[0] + from[1]);
    const promoted = move[4] && (piece === "P" ? move[4].toUpperCase() : move[4]);
    all.set(to, promoted || piece);
  };

  // The top left corner of a square.
  const corner = (square) => {
    const [file, rank] = [FILES.indexOf(square[0]), Number(square[1]) - 1];
    return turned ? [100 * (7 - file), 100 * rank] : [100 * file, 100 * (7 - rank)];
  };

  const arrow = (from, to) => {
    const [x, y] = corner(from).map((edge) => edge + 50);
    const [toX, toY] = corner(to).map((edge) => edge + 50);
    const length = Math.hypot(toX - x, toY - y) || 1;
    const along = [(toX - x) / length, (toY - y) / length];
    const at = (forth, aside) => `${x + along[0] * forth - along[1] * aside} ${y + along[1] * forth + along[0] * aside}`;
    const neck = length - 38;
    const corners = [[20, -8], [neck, -8], [neck, -24], [length, 0], [neck, 24], [neck, 8], [20, 8]];
    return node("path", { d: "M" + corners.map(([forth, aside]) => at(forth, aside)).join("L") + "Z" });
  };

  const shown = () => (chosen === "tree" ? tree : positions.get(chosen));
  const found = () => shown()?.report?.lines ?? [];

  const drawBoard = () => {
    const position = shown();
    const all = pieces(position ? position.fen : "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w");
    const moves = found()[line]?.pv ?? [];
    step = Math.min(step, moves.length);
    for (const move of moves.slice(0, step)) play(all, move);
    find(".pieces").replaceChildren(...[...all].map(([square, letter]) => {
      const [x, y] = corner(square);
      const color = letter === letter.toUpperCase() ? "w" : "b";
      return node("use", { href: "#" + letter.toUpperCase(), class: color, x, y, width: 100, height: 100 });
    }));
    const last = step ? moves[step - 1] : "";
    find(".trail").replaceChildren(...(last ? [last.slice(0, 2), last.slice(2, 4)] : []).map((square) => {
      const [x, y] = corner(square);
      return node("rect", { x, y, width: 100, height: 100 });
    }));
    const next = moves[step];
    find(".arrow").replaceChildren(...(next ? [arrow(next.slice(0, 2), next.slice(2, 4))] : []));
    find(".frame").setAttribute("href", turned ? "#turned" : "#frame");
    for (const button of document.querySelectorAll("[data-go]")) {
      const go = button.dataset.go;
      button.disabled = (["first", "back"].includes(go) && step === 0) || (["on", "last"].includes(go) && step >= moves.length);
    }
  };

  // The moves of a line with their numbers.
  const numbered = (position, san) => {
    let number = Number(position.fen.split(" ")[5]) || 1;
    let white = whiteMoves(position.fen);
    return san.map((move, at) => {
      const before = white ? `${number}.` : at === 0 ? `${number}…` : "";
      if (!white) number += 1;
      white = !white;
      return before + move;
    });
  };

  const drawLines = () => {
    const position = shown();
    const report = position?.report;
    const bar = find(".bar");
    bar.classList.toggle("turned", turned);
    const best = found()[0];
    const white = chosen === "tree" ? tree?.white : best && percent(best, position.fen);
    bar.firstElementChild.style.height = (white ?? 50) + "%";
    find(".value").textContent = chosen === "tree" ? share(tree?.white) : best ? value(best.score, position.fen) : "–";
    if (!position) {
      find(".lines").replaceChildren(made("p", "searched", "Add a position to begin."));
      return;
    }
    const text = chosen === "tree" ? "the best line of the tree" : report?.lines
      ? `depth ${best?.depth ?? 0}/${best?.seldepth ?? 0}, ${grouped(report.nodes)} nodes, ${seconds(report.time_ms)}, ${grouped(report.nps)}/s, hash ${((best?.hashfull ?? 0) / 10).toFixed(0)} %`
      : position.state;
    const lines = found().map((one, at) => {
      const words = numbered(position, one.san).map((word, ply) => {
        const move = made("span", at === line && ply === step - 1 ? "at" : "", word, " ");
        move.dataset.step = ply + 1;
        return move;
      });
      const row = made("p", at === line ? "chosen" : "", made("b", "", one.score ? value(one.score, position.fen) : share(tree?.white)), " ", ...words);
      row.dataset.line = at;
      return row;
    });
    if (report && chosen !== "tree" && !found().length) lines.push(made("p", "searched", "the game is over"));
    find(".lines").replaceChildren(made("p", "searched", text), ...lines);
  };

  const drawGraph = () => {
    const graph = shown()?.graph ?? [];
    find("#over-time").hidden = !graph.length;
    const end = Math.max(1, graph.length ? graph[graph.length - 1][0] : 1);
    const start = graph.length ? graph[0][0] : 0;
    find(".graph").setAttribute("viewBox", `0 0 ${end} 100`);
    find(".graph .half").setAttribute("d", `M0 50H${end}`);
    const points = graph.map(([time, , white]) => `${time} ${(100 - white / 10).toFixed(1)}`);
    const area = points.length ? `M${start} 100L${points.join("L")}V100Z` : "";
    find(".graph .area").setAttribute("d", area);
    // About five labels, each with the depth at its time.
    const labels = [0, 0.25, 0.5, 0.75, 1].map((share) => {
      const at = graph.filter(([time]) => time <= share * end).pop();
      return made("span", "", share === 0 ? "0" : seconds(Math.round(share * end)), at ? ` d${at[1]}` : "");
    });
    find(".scale").replaceChildren(...(graph.length ? labels : []));
  };

  const name = (position) => {
    const moves = Array.isArray(position.moves) ? position.moves.join(" ") : position.moves;
    return moves ? (moves.length > 60 ? "…" + moves.slice(-58) : moves) : position.fen.split(" ").slice(0, 2).join(" ");
  };

  const row = (number, position) => {
    const best = position.report?.lines?.[0];
    const remove = made("button", "", "×");
    remove.type = "button";
    remove.dataset.remove = number;
    remove.setAttribute("aria-label", `remove position ${number}`);
    const cells = [
      made("td", "name", name(position)),
      made("td", "number", best ? value(best.score, position.fen) : "–"),
      made("td", "number faint", best ? `d${best.depth}` : ""),
      made("td", "", position.state),
      made("td", "", remove),
    ];
    const built = made("tr", number === chosen ? "chosen" : "", ...cells);
    built.dataset.number = number;
    return built;
  };

  const drawList = () => {
    const all = [...positions];
    find("#positions").replaceChildren(...all.map(([number, position]) => row(number, position)));
    const done = all.filter(([, position]) => position.state === "done").length;
    find("#progress").max = Math.max(1, all.length);
    find("#progress").value = done;
    find("#done").textContent = all.length ? `${done} of ${all.length} done` : "none yet";
    const nps = all.filter(([, position]) => position.state === "searching").reduce((sum, [, position]) => sum + (position.report?.nps ?? 0), 0);
    const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
    if (server.engines) {
      find("#server").textContent = `${plural(server.engines, "engine")}, ${plural(server.threads, "thread")} and ${server.hash_mib} MiB each · ${grouped(nps)} nodes/s · ${server.searching} searching, ${server.waiting} waiting, ${server.finished} finished`;
    }
    find("#pause").textContent = paused ? "Resume" : "Pause";
  };

  const share = (white) => (white === null || white === undefined ? "–" : `${white.toFixed(1)} %`);

  const drawTree = () => {
    find("#tree").hidden = !tree;
    if (!tree) return;
    const step = (at, text) => {
      const button = made("button", "", text);
      button.type = "button";
      button.dataset.at = at;
      return button;
    };
    find("#path").replaceChildren(step(0, "root"), ...numbered({ fen: tree.start }, tree.path_san).map((word, at) => step(at + 1, word)));
    find("#node").textContent = `White ${share(tree.white)}, ply ${tree.ply ?? "–"}; the tree has ${grouped(tree.positions)} positions`;
    const toWhite = (expected) => (expected === null ? null : 100 * (whiteMoves(tree.fen) ? expected : 1 - expected));
    find("#moves").replaceChildren(...tree.moves.map((move) => {
      const mark = (name, isSet) => {
        const button = made("button", "", name);
        button.type = "button";
        button.dataset.mark = isSet ? "none" : name;
        button.setAttribute("aria-pressed", isSet);
        return button;
      };
      const cells = [
        made("td", "name", move.san, move.note ? `  ${move.note}` : ""),
        made("td", "number", share(toWhite(move.expected))),
        made("td", "number faint", move.depth ?? ""),
        made("td", "number faint", move.below),
        made("td", "", ...(move.in_tree ? [mark("pin", move.pinned), mark("exclude", move.excluded)] : [])),
      ];
      const built = made("tr", move.excluded ? "excluded" : "", ...cells);
      built.dataset.move = move.uci;
      built.classList.toggle("leaf", !move.in_tree);
      return built;
    }));
  };
  const walk = (moves) => {
    path = moves;
    [chosen, line, step, wanted] = ["tree", 0, 0, null];
    send({ tree: moves.join(" ") });
  };

  const draw = () => {
    drawTree();
    drawBoard();
    drawLines();
    drawGraph();
    drawList();
  };
  let due = false;
  const drawSoon = () => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => { due = false; draw(); });
  };

  const choose = (number) => {
    [chosen, line, step, wanted] = [number, 0, 0, null];
    if (number !== null) history.replaceState(null, "", "#" + number);
    draw();
  };

  const receive = (news) => {
    if (news.begin) positions.clear();
    if (news.server) server = news.server;
    if (news.paused !== undefined) paused = news.paused;
    if (news.tree) {
      const white = (expected) => (expected === null ? null : 100 * (whiteMoves(news.tree.fen) ? expected : 1 - expected));
      const best = { pv: news.tree.best_line, san: news.tree.best_san };
      tree = { ...news.tree, white: white(news.tree.expected), report: { lines: best.pv.length ? [best] : [] } };
    }
    if (news.has_tree && news.begin) send({ tree: path.join(" ") });
    if (news.tree_changed && tree) send({ tree: path.join(" ") });
    if (news.error) find("#error").textContent = news.error;
    if (news.removed) positions.delete(news.removed);
    if (news.position) {
      const before = positions.get(news.position);
      const graph = news.graph ?? before?.graph ?? [];
      if (news.point) graph.push(news.point);
      positions.set(news.position, { ...news, graph });
      if (awaited && !before) { awaited = false; choose(news.position); }
      if (news.position === wanted) [chosen, wanted] = [wanted, null];
    }
    if (chosen === "tree" ? !tree : !positions.has(chosen)) chosen = tree && !positions.size ? "tree" : positions.keys().next().value ?? null;
    drawSoon();
  };
  // The position of the address, and whether the next new one is this visitor's.
  let wanted = Number(location.hash.slice(1)) || null;
  let awaited = false;

  const send = (message) => {
    if (message.add) find("#error").textContent = "";
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    else find("#error").textContent = "not connected";
  };

  const connect = () => {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    socket.addEventListener("open", () => { find("#pause").disabled = false; });
    socket.addEventListener("message", (event) => receive(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      find("#server").textContent = "not connected; trying again";
      find("#pause").disabled = true;
      server = {};
      setTimeout(connect, 2000);
    });
  };

  const limits = () => {
    const [limit, most] = find("#limit").value.split(" ");
    return { [limit]: Number(most), multipv: Number(find("#multipv").value) || 1 };
  };

  find("#add").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = find("#text").value.trim();
    // A FEN begins with eight ranks.
    const isFen = text.split(/\s/)[0].split("/").length === 8;
    awaited = true;
    send({ add: { ...(isFen ? { fen: text } : { moves: text }), ...limits() } });
  });
  find("#from-board").addEventListener("click", () => {
    const position = shown();
    const moves = (found()[line]?.pv ?? []).slice(0, step);
    awaited = true;
    const given = chosen === "tree" ? path : Array.isArray(position?.moves) ? position.moves : (position?.moves ?? "").split(/\s+/).filter((word) => word);
    const start = position?.start ? { fen: position.start } : {};
    send({ add: { ...start, moves: [...given, ...moves], ...limits() } });
  });
  find("#text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      find("#add").requestSubmit();
    }
  });
  find("#pause").addEventListener("click", () => send({ pause: !paused }));
  find("#positions").addEventListener("click", (event) => {
    const remove = event.target.closest("[data-remove]");
    if (remove) send({ remove: Number(remove.dataset.remove) });
    else if (event.target.closest("tr")) choose(Number(event.target.closest("tr").dataset.number));
  });
  find("#path").addEventListener("click", (event) => {
    const at = event.target.closest("button")?.dataset.at;
    if (at !== undefined) walk(path.slice(0, Number(at)));
  });
  find("#moves").addEventListener("click", (event) => {
    const move = event.target.closest("tr")?.dataset.move;
    const mark = event.target.closest("button")?.dataset.mark;
    if (mark) send({ mark: [...path, move].join(" "), as: mark });
    else if (move && !event.target.closest("tr").classList.contains("leaf")) walk([...path, move]);
  });
  find(".lines").addEventListener("click", (event) => {
    const row = event.target.closest("[data-line]");
    if (!row) return;
    line = Number(row.dataset.line);
    step = Number(event.target.closest("[data-step]")?.dataset.step ?? 0);
    draw();
  });

  const go = (where) => {
    if (where === "turn") turned = !turned;
    const last = found()[line]?.pv.length ?? 0;
    step = Math.max(0, Math.min(last, { first: 0, back: step - 1, on: step + 1, last }[where] ?? step));
    draw();
  };
  find(".buttons").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) go(button.dataset.go);
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, select") || event.ctrlKey || event.altKey || event.metaKey) return;
    const where = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", f: "turn" }[event.key];
    if (!where) return;
    event.preventDefault();
    go(where);
  });
  // Others may grow the tree.
  setInterval(() => { if (tree && document.visibilityState === "visible" && socket?.readyState === WebSocket.OPEN) send({ tree: path.join(" ") }); }, 5000);
  draw();
  connect();
})();
