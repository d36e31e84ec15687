// A relation on n positions: bit k of row q is set when q holds information of k.

class Relation {
  constructor(n, bits) {
    this.n = n;
    this.width = Math.ceil(n / 32);
    this.bits = bits ?? new Uint32Array(n * this.width);
  }

  static identity(n) {
    const own = new Relation(n);
    for (let q = 0; q < n; q++) own.add(q, q);
    return own;
  }

  /** The relation of a text in base 64: deflated words, least byte first. */
  static async unpack(text, n) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const words = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Relation(n, new Uint32Array(await new Response(words).arrayBuffer()));
  }

  has(q, k) {
    return ((this.bits[q * this.width + (k >>> 5)] >>> (k & 31)) & 1) === 1;
  }

  add(q, k) {
    this.bits[q * this.width + (k >>> 5)] |= 1 << (k & 31);
  }

  row(q) {
    return this.bits.subarray(q * this.width, (q + 1) * this.width);
  }

  equals(other) {
    return this.bits.every((word, i) => word === other.bits[i]);
  }

  /** What this layer reads of what `lower` holds: the Boolean product. */
  after(lower) {
    const product = new Relation(this.n);
    for (let q = 0; q < this.n; q++) {
      const held = product.row(q);
      eachMember(this.row(q), (m) => join(held, lower.row(m)));
    }
    return product;
  }
}

function join(into, row) {
  for (let i = 0; i < into.length; i++) into[i] |= row[i];
}

/** Call `visit` with the members of a bit row, smallest first. */
function eachMember(row, visit) {
  for (let i = 0; i < row.length; i++) {
    let word = row[i];
    while (word !== 0) {
      const lowest = word & -word;
      visit(32 * i + 31 - Math.clz32(lowest));
      word ^= lowest;
    }
  }
}

function countMembers(row) {
  let count = 0;
  eachMember(row, () => count++);
  return count;
}
