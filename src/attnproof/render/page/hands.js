// Pointer and keys on the mask: hover, choose, drag, zoom, walk.

class Hands {
  constructor(canvas, grid, state) {
    this.canvas = canvas;
    this.grid = grid;
    this.state = state;
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerleave", () => state.update({ hover: null }));
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointerup", (event) => this.#up(event));
    canvas.addEventListener("pointercancel", () => (this.held = null));
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("focus", () => this.#focus());
    canvas.addEventListener("blur", () => state.update({ focused: false }));
  }

  #at(event) {
    return this.grid.cellAt(event.offsetX, event.offsetY);
  }

  #move(event) {
    if (this.held && !this.grid.whole) {
      const dx = event.clientX - this.held.x;
      const dy = event.clientY - this.held.y;
      if (this.held.dragged || Math.hypot(dx, dy) > 4) {
        this.held = { x: event.clientX, y: event.clientY, dragged: true };
        this.grid.pan(dx, dy);
      }
    }
    this.state.update({ hover: this.#at(event) });
  }

  #down(event) {
    if (event.button !== 0) return;
    this.held = { x: event.clientX, y: event.clientY, dragged: false };
    this.canvas.setPointerCapture(event.pointerId);
  }

  #up(event) {
    const held = this.held;
    this.held = null;
    const pair = this.#at(event);
    if (!held || held.dragged || !pair) return;
    this.state.update({ cursor: pair });
    this.state.choosePair(...pair);
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.grid.zoomBy(Math.exp(-event.deltaY / 200), event.offsetX, event.offsetY);
  }

  #focus() {
    const { cursor, view } = this.state;
    this.state.update({ focused: true, cursor: cursor ?? [view.rows[0], 0] });
  }

  #key(event) {
    const { view, cursor } = this.state;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      Enter: () => this.state.choosePair(...cursor),
      " ": () => this.state.choosePair(...cursor),
      Escape: () => this.state.clear(),
      "+": () => this.grid.zoomAtCell(1.5),
      "=": () => this.grid.zoomAtCell(1.5),
      "-": () => this.grid.zoomAtCell(1 / 1.5),
      0: () => this.grid.fit(),
    };
    const moves = this.#moves(event.shiftKey ? 8 : 1);
    if (acts[event.key]) acts[event.key]();
    else if (moves[event.key]) this.#walk(moves[event.key], view);
    else return;
    event.preventDefault();
  }

  #moves(step) {
    const far = this.state.view.n;
    return {
      ArrowUp: [-step, 0],
      ArrowDown: [step, 0],
      ArrowLeft: [0, -step],
      ArrowRight: [0, step],
      Home: [0, -far],
      End: [0, far],
      PageUp: [-far, 0],
      PageDown: [far, 0],
    };
  }

  #walk([down, right], view) {
    const [q, k] = this.state.cursor;
    const cursor = [
      clamp(q + down, view.rows[0], view.rows[1] - 1),
      clamp(k + right, 0, view.n - 1),
    ];
    this.grid.reveal(cursor);
    this.state.update({ cursor, hover: null });
  }
}
