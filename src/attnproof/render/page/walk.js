// A path from source k to reader q in the fewest layers; of these the lexicographically least.

/** Steps [token, layer after which it holds], source first; null where k never reaches q. */
function shortestPath(levels, q, k) {
  const { layers, n } = levels;
  const depth = levels.depth[q * n + k];
  if (depth === NEVER) return null;
  const layerOf = (t) => layers[(t - 1) % layers.length];
  const useful = [membersOnly(n, q)];
  for (let t = depth; t > 0; t--) {
    const below = new Uint32Array(layers[0].width);
    eachMember(useful[0], (m) => join(below, layerOf(t).row(m)));
    useful.unshift(below);
  }
  const steps = [[k, 0]];
  let token = k;
  for (let t = 1; t <= depth; t++) {
    const from = token;
    token = firstMember(useful[t], (m) => layerOf(t).has(m, from));
    if (token !== from || layers.length === 1) steps.push([token, t]);
  }
  return steps;
}

function membersOnly(n, q) {
  const row = new Uint32Array(Math.ceil(n / 32));
  row[q >>> 5] |= 1 << (q & 31);
  return row;
}

function firstMember(row, accept) {
  let found = -1;
  eachMember(row, (m) => {
    if (found < 0 && accept(m)) found = m;
  });
  return found;
}

/** The moves of a path: `reader` reads `source` in `layer`; a token that waits makes none. */
function movesOf(steps) {
  const moves = [];
  for (let i = 1; i < steps.length; i++) {
    const [source] = steps[i - 1];
    const [reader, layer] = steps[i];
    if (source !== reader) moves.push({ source, reader, layer });
  }
  return moves;
}
