// The mask as a canvas: large cells are drawn one by one, small ones as an image.

const DRAWN = 7;
const NUMBERED = 19;
const MARKED = 4000;

class Grid extends Frame {
  stamp = {};

  paint(colours) {
    const { view, t } = this.state;
    this.measure();
    const pen = this.canvas.getContext("2d");
    this.colours = colours;
    this.paints = view.cells.paints(colours);
    pen.save();
    pen.beginPath();
    pen.rect(this.left - 1, this.top - 1, this.width + 2, this.height + 2);
    pen.clip();
    if (this.cell >= DRAWN) this.#drawCells(pen, view, t);
    else this.#drawImage(pen, view, t);
    this.#drawBands(pen);
    drawPath(pen, this);
    this.#drawCursor(pen);
    pen.restore();
    this.#drawLabels(pen, view);
    this.canvas.dataset.cell = this.cell;
    this.canvas.dataset.left = this.left;
    this.canvas.dataset.top = this.top;
  }

  #drawCells(pen, view, t) {
    const { rows, columns } = this.window();
    const gap = this.cell > 14 ? 1.5 : this.cell > 9 ? 1 : 0.5;
    const side = this.cell - gap;
    for (let q = rows[0]; q < rows[1]; q++) {
      for (let k = columns[0]; k < columns[1]; k++) {
        const state = view.cells.state(q, k, t);
        const { x, y } = this.corner(q, k);
        pen.fillStyle = css(this.paints[state]);
        pen.beginPath();
        pen.roundRect(x + gap / 2, y + gap / 2, side, side, Math.min(4, this.cell / 8));
        pen.fill();
        if (this.cell >= NUMBERED && (state > DEEP || state === LEAK_DEEP)) {
          this.#write(pen, view.levels.depth[q * view.n + k], x, y, state);
        }
      }
    }
  }

  /** The number of layers in a cell that takes more than one, or that leaks. */
  #write(pen, depth, x, y, state) {
    pen.fillStyle = state < DEEP ? css(this.colours.paper) : css(this.colours.ink, 0.75);
    pen.font = font(Math.min(13, this.cell * 0.42), state < DEEP ? 600 : 400);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(`${depth}`, x + this.cell / 2, y + this.cell / 2 + 0.5);
  }

  /** One pixel a cell, or, on whole pixels of the screen, one for several. */
  #drawImage(pen, view, t) {
    const dense = window.devicePixelRatio || 1;
    const columns = Math.min(view.n, Math.round(view.n * this.cell * dense));
    if (hasChanged(this.stamp, view, t, columns, this.colours)) {
      view.cells.paintImage(t, this.colours, columns);
      this.marks = view.cells.leakedPairs(t, MARKED);
    }
    const { image } = view.cells;
    const { x, y } = this.corner(view.rows[0], 0);
    pen.imageSmoothingEnabled = false;
    if (columns < view.n) {
      const snap = (place) => Math.round(place * dense) / dense;
      pen.drawImage(image, snap(x), snap(y), image.width / dense, image.height / dense);
    } else {
      pen.drawImage(image, x, y, image.width * this.cell, image.height * this.cell);
    }
    if (this.cell >= 2.5) return;
    pen.fillStyle = css(this.colours.leak);
    for (const [q, k] of this.marks) {
      const at = this.centre(q, k);
      pen.fillRect(at.x - 1.25, at.y - 1.25, 2.5, 2.5);
    }
  }

  /** The rows, and fainter the columns, of the class or the task that is pointed at. */
  #drawBands(pen) {
    const bands = this.state.bands();
    const thick = Math.max(1, Math.min(2, this.cell / 6));
    for (const [start, stop] of bands) {
      const from = this.corner(start, start);
      const to = this.corner(stop, stop);
      pen.fillStyle = css(this.colours.ink, 0.1);
      pen.fillRect(from.x, this.top, to.x - from.x, this.height);
      pen.fillRect(this.left, from.y, this.width, Math.max(to.y - from.y, 1));
      pen.strokeStyle = css(this.colours.ink, 0.8);
      pen.lineWidth = thick;
      pen.strokeRect(this.left, from.y, this.width, Math.max(to.y - from.y, 1));
    }
  }

  #drawCursor(pen) {
    const { hover, cursor, focused } = this.state;
    for (const [pair, strong] of [[hover, false], [focused ? cursor : null, true]]) {
      if (!pair) continue;
      const { x, y } = this.corner(...pair);
      pen.fillStyle = css(this.colours.ink, 0.07);
      pen.fillRect(this.left, y, this.width, this.cell);
      pen.fillRect(x, this.top, this.cell, this.height);
      const side = Math.max(this.cell, 5);
      const middle = this.cell / 2 - side / 2;
      pen.strokeStyle = css(this.colours.ink);
      pen.lineWidth = strong ? 2.5 : 1.5;
      pen.strokeRect(x + middle, y + middle, side, side);
    }
  }

  #drawLabels(pen, view) {
    const { rows, columns } = this.window();
    pen.font = font(11);
    pen.fillStyle = css(this.colours.quiet);
    pen.textBaseline = "middle";
    const wide = pen.measureText(`${view.n - 1}`).width + 8;
    pen.textAlign = "center";
    for (const k of ticks(columns, wide / this.cell)) {
      const x = this.corner(0, k).x + this.cell / 2;
      if (x > this.left && x < this.left + this.width) pen.fillText(`${k}`, x, this.top - 11);
    }
    pen.textAlign = "right";
    for (const q of ticks(rows, 14 / this.cell)) {
      const y = this.corner(q, 0).y + this.cell / 2;
      if (y > this.top && y < this.top + this.height) pen.fillText(`${q}`, this.left - 6, y);
    }
    if (!view.names || this.cell < LABELLED) return;
    pen.textAlign = "left";
    pen.fillStyle = css(this.colours.ink);
    const room = this.left - wide - 6;
    for (let q = rows[0]; q < rows[1]; q++) {
      const y = this.corner(q, 0).y + this.cell / 2;
      if (y > this.top && y < this.top + this.height) pen.fillText(view.names[q], 0, y, room);
    }
  }
}

/** Multiples of 1, 2, 5, 10, ... that stand at least `apart` from each other. */
function ticks([start, stop], apart) {
  let step = 1;
  for (let i = 0; step < apart; i++) step *= [2, 2.5, 2][i % 3];
  const found = [];
  for (let p = Math.ceil(start / step) * step; p < stop; p += step) found.push(p);
  return found;
}
