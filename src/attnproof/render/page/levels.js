// After layers 1, ..., L source k has reached reader q when (A_L ... A_1)[q, k]; a schedule repeats.

const NEVER = 0xffff;
const MOST_SETS = 64;

/**
 * `depth[q * n + k]` is the least number of layers after which q holds k, or NEVER. Layers that keep
 * a residual lose nothing, so q holds k after t layers when depth <= t; without one the relation
 * after each number of layers is kept, until one comes back, as far as `MOST_SETS`. `last` is the
 * greatest number of layers that says something new; `steady` says that more change nothing.
 */
class Levels {
  constructor(layers, residual, asked) {
    this.n = layers[0].n;
    this.layers = layers;
    this.asked = asked;
    this.depth = new Uint16Array(this.n * this.n).fill(NEVER);
    this.sets = null;
    this.steady = true;
    if (!residual) this.settled = this.#keepSets();
    else if (layers.length === 1) this.settled = this.#search();
    else this.settled = this.#multiply();
    this.last = asked === null ? this.settled : Math.min(asked, this.settled);
  }

  holds(q, k, t) {
    return this.sets ? this.sets[t].has(q, k) : this.depth[q * this.n + k] <= t;
  }

  /** One mask: from every reader breadth first, against the flow. */
  #search() {
    const { n, depth } = this;
    const [layer] = this.layers;
    const seen = new Uint32Array(layer.width);
    const ahead = new Uint32Array(layer.width);
    let deepest = 0;
    for (let q = 0; q < n; q++) {
      seen.fill(0);
      let front = [q];
      for (let t = 0; front.length; t++) {
        ahead.fill(0);
        for (const m of front) {
          depth[q * n + m] = t;
          seen[m >>> 5] |= 1 << (m & 31);
          join(ahead, layer.row(m));
        }
        deepest = Math.max(deepest, t);
        front = [];
        for (let i = 0; i < ahead.length; i++) ahead[i] &= ~seen[i];
        eachMember(ahead, (m) => front.push(m));
      }
    }
    return deepest;
  }

  /** A schedule: product after product, until a whole period changes nothing. */
  #multiply() {
    let held = Relation.identity(this.n);
    let settled = 0;
    this.#note(held, 0);
    for (let t = 1; t <= settled + this.layers.length && t < NEVER; t++) {
      const next = this.#layer(t).after(held);
      if (!next.equals(held)) settled = t;
      held = next;
      this.#note(held, t);
    }
    return settled;
  }

  #keepSets() {
    this.sets = [Relation.identity(this.n)];
    this.#note(this.sets[0], 0);
    const period = this.layers.length;
    const most = Math.min(this.asked ?? MOST_SETS, MOST_SETS);
    for (let t = 1; t <= most; t++) {
      const held = this.#layer(t).after(this.sets[t - 1]);
      const before = this.sets.findIndex((old, s) => (t - s) % period === 0 && old.equals(held));
      this.steady = before === t - 1 && period === 1;
      if (before >= 0 && this.asked === null) return t - 1;
      this.sets.push(held);
      this.#note(held, t);
    }
    return most;
  }

  #layer(t) {
    return this.layers[(t - 1) % this.layers.length];
  }

  #note(held, t) {
    const { n, depth } = this;
    for (let q = 0; q < n; q++) {
      eachMember(held.row(q), (k) => {
        if (depth[q * n + k] === NEVER) depth[q * n + k] = t;
      });
    }
  }
}
