// Where the cells of the mask stand on the canvas, in CSS pixels; row = query, column = key.

const LARGEST = 56;
const CLOSE = 30;
const LABELLED = 13;

class Frame {
  constructor(canvas, state) {
    this.canvas = canvas;
    this.state = state;
    this.zoom = 1;
    this.origin = { q: 0, k: 0 };
    new ResizeObserver(() => state.update({})).observe(canvas.parentElement);
  }

  show() {
    this.zoom = 1;
    this.origin = { q: 0, k: 0 };
  }

  /** Where things stand, in CSS pixels: margins, the size of a cell, the window on the cells. */
  measure() {
    const { view } = this.state;
    const pen = this.canvas.getContext("2d");
    pen.font = font(11);
    const room = this.canvas.parentElement.clientWidth;
    const rows = view.rows[1] - view.rows[0];
    const tallest = Math.max(300, window.innerHeight - 250);
    this.top = 22;
    this.left = 12 + pen.measureText(`${view.n - 1}`).width;
    const fitted = () => Math.min((room - this.left - 4) / view.n, (tallest - this.top) / rows, LARGEST);
    if (view.names && fitted() >= LABELLED) {
      const widest = Math.max(...view.names.map((name) => pen.measureText(name).width));
      this.left += 8 + Math.min(widest, room / 4);
    }
    const fit = fitted();
    this.fitting = fit;
    this.whole = this.zoom === 1;
    this.cell = fit * this.zoom;
    this.width = this.whole ? fit * view.n : Math.min(room - this.left - 4, this.cell * view.n);
    this.height = this.whole ? fit * rows : Math.min(this.cell * rows, Math.max(fit * rows, 160));
    const most = { q: rows - this.height / this.cell, k: view.n - this.width / this.cell };
    this.origin.q = clamp(this.origin.q, 0, Math.max(0, most.q));
    this.origin.k = clamp(this.origin.k, 0, Math.max(0, most.k));
    this.#resize(this.left + this.width + 4, this.top + this.height + 4);
  }

  #resize(width, height) {
    const dense = window.devicePixelRatio || 1;
    if (hasChanged(this, width, height, dense)) {
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
      this.canvas.width = Math.round(width * dense);
      this.canvas.height = Math.round(height * dense);
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    pen.clearRect(0, 0, width, height);
  }

  /** The upper left corner of a cell. */
  corner(q, k) {
    return {
      x: this.left + (k - this.origin.k) * this.cell,
      y: this.top + (q - this.state.view.rows[0] - this.origin.q) * this.cell,
    };
  }

  centre(q, k) {
    const { x, y } = this.corner(q, k);
    return { x: x + this.cell / 2, y: y + this.cell / 2 };
  }

  /** The cell [q, k] at a point of the canvas, or null. */
  cellAt(x, y) {
    const { view } = this.state;
    if (x < this.left || y < this.top) return null;
    const q = view.rows[0] + Math.floor((y - this.top) / this.cell + this.origin.q);
    const k = Math.floor((x - this.left) / this.cell + this.origin.k);
    return q < view.rows[1] && k < view.n ? [q, k] : null;
  }

  /** Closer or farther; the point stays where it is. */
  zoomBy(factor, x = this.left + this.width / 2, y = this.top + this.height / 2) {
    const before = this.cell;
    this.zoom = clamp(this.zoom * factor, 1, Math.max(1, CLOSE / this.fitting));
    const cell = this.fitting * this.zoom;
    this.origin.k += (x - this.left) * (1 / before - 1 / cell);
    this.origin.q += (y - this.top) * (1 / before - 1 / cell);
    this.state.update({});
  }

  /** Zoom about the cell that was chosen or walked to, where it is in the window. */
  zoomAtCell(factor) {
    const { cursor } = this.state;
    const { rows, columns } = this.window();
    const inside = cursor && isWithin(cursor[0], rows) && isWithin(cursor[1], columns);
    const at = inside ? this.centre(...cursor) : {};
    this.zoomBy(factor, at.x, at.y);
  }

  fit() {
    this.zoom = 1;
    this.state.update({});
  }

  pan(dx, dy) {
    this.origin.k -= dx / this.cell;
    this.origin.q -= dy / this.cell;
    this.state.update({});
  }

  /** Move the window so that a cell is in it. */
  reveal([q, k]) {
    const row = q - this.state.view.rows[0];
    const high = this.height / this.cell;
    const wide = this.width / this.cell;
    this.origin.q = clamp(this.origin.q, row + 1 - high, row);
    this.origin.k = clamp(this.origin.k, k + 1 - wide, k);
  }

  /** The rows and columns in the window, as half-open intervals. */
  window() {
    const { view } = this.state;
    const q = view.rows[0] + Math.floor(this.origin.q);
    const k = Math.floor(this.origin.k);
    return {
      rows: [q, Math.min(view.rows[1], q + Math.ceil(this.height / this.cell) + 1)],
      columns: [k, Math.min(view.n, k + Math.ceil(this.width / this.cell) + 1)],
    };
  }
}

/** Are these values others than when the owner was asked last? */
function hasChanged(owner, ...values) {
  const before = owner.seen ?? [];
  owner.seen = values;
  return values.length !== before.length || values.some((value, i) => value !== before[i]);
}

function isWithin(p, [start, stop]) {
  return start <= p && p < stop;
}

function font(size, weight = 400) {
  return `${weight} ${size}px system-ui, sans-serif`;
}

function clamp(value, least, most) {
  return Math.max(least, Math.min(most, value));
}
