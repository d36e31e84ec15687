// What each (query, key) cell shows after t layers, as a state with a colour.

const EMPTY = 0;
const WAITING = 1; // read by some layer, none of which has run
const BARRED = 2; // forbidden, and not reached
const KEPT = 3; // the own state, kept by the residual though it is not read
const READ = 4;
const LEAK_READ = 5; // forbidden and read
const LEAK_DEEP = 6; // forbidden and reached through layers
const DEEP = 8; // DEEP + d: reached, first after d layers

const GIVEN = 1;
const FORBIDDEN = 2;

class Cells {
  constructor(view) {
    const { n } = view;
    this.view = view;
    this.levels = view.levels;
    this.flags = new Uint8Array(n * n);
    this.#mark(view.given, GIVEN);
    for (const { pairs } of view.forbidden) this.#mark(pairs, FORBIDDEN);
    this.image = document.createElement("canvas");
    this.#count();
  }

  #mark(relation, flag) {
    const { n } = this.view;
    for (let q = 0; q < n; q++) eachMember(relation.row(q), (k) => (this.flags[q * n + k] |= flag));
  }

  /**
   * `gained[t]`, `leaked[t]`: pairs, and forbidden pairs, first reached after t layers. `kinds`: the
   * states that some number of layers shows.
   */
  #count() {
    const { depth, last } = this.levels;
    const [start, stop] = this.view.rows.map((row) => row * this.view.n);
    const isShown = (i) => start <= i && i < stop;
    this.kinds = new Set();
    this.gained = new Array(last + 1).fill(0);
    this.leaked = new Array(last + 1).fill(0);
    for (let i = 0; i < depth.length; i++) {
      const flags = this.flags[i];
      if (isShown(i)) {
        this.kinds.add(reachedKind(flags, depth[i], last));
        if (depth[i] > 0 && flags) this.kinds.add(flags & FORBIDDEN ? BARRED : WAITING);
      }
      if (depth[i] > last) continue;
      this.gained[depth[i]]++;
      if (flags & FORBIDDEN) this.leaked[depth[i]]++;
    }
  }

  state(q, k, t) {
    const i = q * this.view.n + k;
    const flags = this.flags[i];
    const depth = this.levels.depth[i];
    if (!this.levels.holds(q, k, t)) {
      if (flags & FORBIDDEN) return BARRED;
      return flags & GIVEN && depth > t ? WAITING : EMPTY;
    }
    const kind = reachedKind(flags, depth, depth);
    return kind === DEEP ? DEEP + depth : kind;
  }

  /** The number of forbidden pairs that are reached after t layers. */
  leaks(t) {
    if (!this.levels.sets) return sum(this.leaked, t);
    return this.#countSet(t, (i) => this.flags[i] & FORBIDDEN);
  }

  reached(t) {
    if (!this.levels.sets) return sum(this.gained, t);
    return this.#countSet(t, () => true);
  }

  #countSet(t, counts) {
    const { n } = this.view;
    let count = 0;
    for (let q = 0; q < n; q++) {
      eachMember(this.levels.sets[t].row(q), (k) => {
        if (counts(q * n + k)) count++;
      });
    }
    return count;
  }

  /** `paints[state]` is a colour; depths share a ramp from 2 to the greatest. */
  paints(colours) {
    const { last } = this.levels;
    const paints = [
      colours.empty, colours.waiting, colours.barred, colours.added, colours.read, colours.leak,
      colours.leakDeep, colours.empty,
    ];
    for (let d = 0; d <= Math.max(last, 2); d++) {
      paints.push(colours.level(Math.min(1, Math.max(0, d - 2) / Math.max(4, last - 2))));
    }
    return paints;
  }

  /**
   * The mask as an image of `columns` pixels a row, at most one a cell; a pixel for several cells
   * shows the most telling of them.
   */
  paintImage(t, colours, columns) {
    const { n, rows } = this.view;
    const [start, stop] = rows;
    const share = Math.min(1, columns / n);
    this.image.width = Math.ceil(n * share);
    this.image.height = Math.ceil((stop - start) * share);
    const pen = this.image.getContext("2d");
    const data = pen.createImageData(this.image.width, this.image.height);
    const pixels = new Uint32Array(data.data.buffer);
    const shown = new Uint16Array(pixels.length);
    const paints = Uint32Array.from(this.paints(colours), pixelOf);
    for (let q = start; q < stop; q++) {
      const line = Math.floor((q - start) * share) * this.image.width;
      for (let k = 0; k < n; k++) {
        const state = this.state(q, k, t);
        const i = line + Math.floor(k * share);
        if (telling(state) >= telling(shown[i])) shown[i] = state;
      }
    }
    for (let i = 0; i < pixels.length; i++) pixels[i] = paints[shown[i]];
    pen.putImageData(data, 0, 0);
  }

  /** Forbidden pairs that are reached, as [q, k], unless they are more than `most`. */
  leakedPairs(t, most) {
    if (this.leaks(t) > most) return [];
    const { n } = this.view;
    const found = [];
    for (let i = 0; i < this.flags.length; i++) {
      if (!(this.flags[i] & FORBIDDEN)) continue;
      const q = Math.floor(i / n);
      if (this.levels.holds(q, i - q * n, t)) found.push([q, i - q * n]);
    }
    return found;
  }
}

/** What a pair shows once it is reached; DEEP for any depth. */
function reachedKind(flags, depth, last) {
  if (depth > last) return flags & FORBIDDEN ? BARRED : EMPTY;
  if (flags & FORBIDDEN) return flags & GIVEN ? LEAK_READ : LEAK_DEEP;
  if (flags & GIVEN) return READ;
  return depth === 0 ? KEPT : DEEP;
}

/** Leaks before reads, these before what is reached through layers, and that before the rest. */
function telling(state) {
  if (state >= DEEP) return READ;
  return state >= READ ? state + 1 : state;
}

function pixelOf([r, g, b]) {
  return (255 << 24) | (b << 16) | (g << 8) | r;
}

function sum(counts, t) {
  let total = 0;
  for (let i = 0; i <= t; i++) total += counts[i];
  return total;
}
