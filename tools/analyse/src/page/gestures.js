// Pointer gestures on a board: drag, two clicks, arrows and circles.

// Distance in pixels at which a press becomes a drag.
const SLACK = { mouse: 4, pen: 6, touch: 8 };

// The circle or arrow drawn from a press to a square.
const drawnShape = ({ color, square: from }, square) => (square === null ? null : color + from + (square === from ? "" : square));

export class Gestures {
  constructor(board) {
    this.board = board;
    this.press = null;
    const { svg } = board;
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", (event) => this.up(event));
    svg.addEventListener("pointercancel", () => this.cancel());
    svg.addEventListener("contextmenu", (event) => event.preventDefault());
    // Only movable pieces prevent scrolling.
    svg.addEventListener("touchstart", (event) => {
      if (event.touches.length === 1 && (board.drawing || this.holds(board.square(event.touches[0])))) event.preventDefault();
    }, { passive: false });
    board.chooser.addEventListener("keydown", (event) => {
      const buttons = [...board.chooser.children];
      const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length].focus();
      else if (event.key === "Escape") board.choose(null);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    document.addEventListener("pointerdown", (event) => {
      if (board.chosen && !board.host.contains(event.target) && !event.target.closest("button")) board.choose(null);
    });
  }

  // Whether a square has a piece that can move.
  holds(square) {
    const { board } = this;
    return square !== null && board.squares.has(square) && (board.isFree || board.canMove(square));
  }

  down(event) {
    const { board } = this;
    if (!event.isPrimary) return this.cancel();
    const square = board.square(event);
    if (square === null) return;
    if (board.chosen) return board.choose(null);
    const drawn = event.button === 2 || (event.button === 0 && board.drawing);
    // A release outside the board may not be reported.
    this.cancel();
    if (event.button !== 0 && !drawn) return;
    this.press = { square, drawn, id: event.pointerId, x: event.clientX, y: event.clientY, slack: SLACK[event.pointerType] ?? 4 };
    if (drawn) {
      this.press.color = event.shiftKey || event.ctrlKey ? (event.altKey ? "Y" : "R") : event.altKey || event.metaKey ? "B" : "G";
    } else if (!board.isFree && board.canReach(board.selected, square)) {
      this.press.isTarget = true;
    } else if (this.holds(square) && !board.isFree) {
      this.press.wasSelected = board.selected === square;
      board.selected = square;
      board.drawMarks();
    }
    if (drawn || this.holds(square)) {
      event.preventDefault();
      this.capture();
    }
  }

  capture() {
    try {
      this.board.svg.setPointerCapture(this.press.id);
    } catch {
      // The pointer is no longer active.
    }
  }

  move(event) {
    const { board, press } = this;
    if (!press || event.pointerId !== press.id) return;
    // A second button, reported as a move, cancels a drag.
    if (!press.drawn && event.buttons & 2) return this.cancel();
    const square = board.square(event);
    if (press.drawn) {
      if (square !== press.over) board.drawShapes(drawnShape(press, square));
      press.over = square;
      return;
    }
    if (!press.drags) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < press.slack || !this.holds(press.square)) return;
      press.drags = true;
      press.piece = board.squares.get(press.square).element;
      press.piece.classList.add("dragged");
      board.layers.pieces.append(press.piece);
      if (!board.isFree) board.selected = press.square;
      press.over = undefined;
    }
    const [x, y] = board.point(event);
    press.piece.style.transform = `translate(${x - 50}px, ${y - 50}px)`;
    if (square !== press.over) board.drawMarks(board.isFree || board.canReach(press.square, square) ? square : null);
    press.over = square;
  }

  up(event) {
    // A busy browser may report no move before the release.
    this.move(event);
    const { board, press } = this;
    if (!press || event.pointerId !== press.id) return;
    this.press = null;
    const square = board.square(event);
    if (press.drawn) {
      const shape = drawnShape(press, square);
      if (shape) this.toggle(shape);
      else board.drawShapes();
      return;
    }
    if (press.drags) {
      this.drop(press, square);
    } else if (board.isFree) {
      if (square === press.square) board.on.press?.(square);
    } else if (press.isTarget && square === press.square) {
      board.moved(board.selected, square);
    } else if (press.wasSelected || (!this.holds(press.square) && square === press.square)) {
      board.selected = null;
      board.drawMarks();
    }
  }

  drop(press, square) {
    const { board } = this;
    press.piece.classList.remove("dragged");
    const { svg } = board;
    // A dropped piece is not animated.
    svg.classList.add("still");
    if (board.isFree) {
      board.on.place?.(press.square, square);
    } else if (square === press.square || square === null || !board.moved(press.square, square)) {
      board.put(press.piece, press.square);
      if (square !== press.square) board.selected = null;
      board.drawMarks();
    }
    svg.getBoundingClientRect();
    svg.classList.remove("still");
  }

  // Adds or removes a shape; a different color replaces it.
  toggle(shape) {
    const { board } = this;
    const others = board.shapes.filter((text) => text.slice(1) !== shape.slice(1));
    board.setShapes(board.shapes.includes(shape) ? others : [...others, shape]);
    board.drawShapes();
    board.on.shapes?.(board.shapes);
  }

  // Cancels the gesture.
  cancel() {
    const { board, press } = this;
    this.press = null;
    if (!press) return;
    if (press.drags) {
      press.piece.classList.remove("dragged");
      board.selected = null;
      const square = [...board.squares].find(([, piece]) => piece.element === press.piece)?.[0];
      if (square) board.put(press.piece, square);
    }
    if (press.drawn) board.drawShapes();
    board.drawMarks();
  }
}
