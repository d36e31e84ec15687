// What a pair, a path and a number of layers mean, in the words of the reports.

function counted(count, thing) {
  const plural = thing.replace(/y$/, "ie") + (thing.endsWith("s") ? "es" : "s");
  return `${digits(count)} ${count === 1 ? thing : plural}`;
}

/** Thousands are set apart from five digits on. */
function digits(count) {
  return count > 9999 ? count.toLocaleString("en") : `${count}`;
}

/** A position by number, and by what it carries and predicts where that is known. */
function positionName(view, p) {
  return view.names ? `${p} (${view.names[p]})` : `${p}`;
}

function pairWords(view, q, k, t) {
  const broken = view.forbidden.filter(({ pairs }) => pairs.has(q, k));
  const bad = broken.length ? `; forbidden by ${broken.map((one) => one.property).join(", ")}` : "";
  const pair = `query ${positionName(view, q)}, key ${positionName(view, k)}`;
  return `${pair}: ${reachWords(view, q, k, t)}${bad}`;
}

function reachWords({ levels, given, n }, q, k, t) {
  const depth = levels.depth[q * n + k];
  const read = given.has(q, k);
  if (depth === NEVER) return read ? "read, but nothing comes through" : "never reached";
  if (depth === 0) return read ? "its own state, read" : "its own state, not read";
  if (depth === 1 && read) return t > 0 ? "read" : "read as soon as a layer runs";
  const layers = counted(depth, "layer");
  if (levels.holds(q, k, t)) return `reached in ${layers}`;
  return depth > t ? `not yet reached: it takes ${layers}` : `not after ${counted(t, "layer")}`;
}

function isForbidden(view, q, k) {
  return view.forbidden.some(({ pairs }) => pairs.has(q, k));
}

/** What a path shows, as one sentence. */
function pathWords(view, q, k) {
  const depth = view.levels.depth[q * view.n + k];
  const token = `token ${positionName(view, k)}`;
  const query = `query ${positionName(view, q)}`;
  if (depth === NEVER) return `${token} never reaches ${query}`;
  if (depth === 0) return `${query} holds its own input`;
  return `${token} reaches ${query} in ${counted(depth, "layer")}`;
}

/** How many positions each of the two tells of after t layers. */
function holdWords({ levels, n }, q, k, t) {
  let held = 0;
  let reached = 0;
  for (let p = 0; p < n; p++) {
    if (levels.holds(q, p, t)) held++;
    if (levels.holds(p, k, t)) reached++;
  }
  return `After ${counted(t, "layer")} query ${q} holds ${held} of ${counted(n, "token")}; ` +
    `token ${k} has reached ${reached} of ${counted(n, "position")}.`;
}

/** How much is reached after t layers, and whether more of them would change that. */
function layerWords(view, cells, t) {
  const { levels, depth } = view;
  const last = t === levels.last;
  const more = last && levels.steady && depth === null ? " or more" : "";
  const beyond = depth === t ? ", as asked" : `, asked about ${depth}`;
  const asked = last && depth !== null ? beyond : "";
  const leaks = view.forbidden.length ? `, ${counted(cells.leaks(t), "leak")}` : "";
  return `${t}${more} ${t === 1 && !more ? "layer" : "layers"}${asked}: ` +
    `${counted(cells.reached(t), "pair")} reached${leaks}`;
}
