// The page: one state, painted after each change.

class State {
  constructor(paint) {
    Object.assign(this, { t: 0, hover: null, cursor: null, chosen: null, node: null, pinned: null });
    Object.assign(this, { task: null, focused: false });
    this.paint = paint;
  }

  update(change) {
    Object.assign(this, change);
    if (this.asked || !this.view) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.paint();
    });
  }

  recolour() {
    this.colours = new Colours();
    this.update({});
  }

  show(view) {
    const t = view.levels.last;
    this.update({ view, t, hover: null, cursor: null, chosen: null, node: null, pinned: null });
    const first = view.findings.findIndex((one) => one.severity === "error" && one.path);
    if (first >= 0) this.chooseFinding(first);
  }

  choosePair(q, k) {
    const finding = this.view.findings.findIndex((one) => one.reader === q && one.source === k);
    const steps = shortestPath(this.view.levels, q, k);
    this.update({ chosen: { q, k, steps, finding: finding < 0 ? null : finding } });
  }

  /** A finding shows its own path, after just as many layers as it needs. */
  chooseFinding(i) {
    const { reader, source, path, depth, severity } = this.view.findings[i];
    const q = reader;
    const k = source ?? reader;
    const error = severity === "error";
    const change = { chosen: { q, k, steps: path, finding: i, error }, cursor: [q, k] };
    if (depth !== null) change.t = Math.min(depth, this.view.levels.last);
    this.update(change);
  }

  pin(node) {
    this.update({ pinned: this.pinned === node ? null : node });
  }

  clear() {
    this.update({ chosen: null, pinned: null });
  }

  /** Runs of positions whose rows are marked. */
  bands() {
    if (this.task) return this.task;
    const node = this.node ?? this.pinned;
    return node === null ? [] : this.view.diagram.nodes[node].positions;
  }

  /** The classes of the positions that are pointed at. */
  pointedNodes() {
    const pair = this.hover ?? (this.focused ? this.cursor : null) ?? [];
    const positions = this.task ? eachPosition(this.task) : pair;
    const nodes = positions.map((p) => this.view.nodeOf[p]);
    return new Set([...nodes, this.node, this.pinned].filter((node) => node !== null));
  }
}

/** The view with its relations unpacked, its levels computed, and the node of each position. */
async function prepare(view, texts) {
  const unpacked = (number) => Relation.unpack(texts[number], view.n);
  view.given = await unpacked(view.given);
  view.layers = await Promise.all(view.layers.map(unpacked));
  for (const one of view.forbidden) one.pairs = await unpacked(one.pairs);
  view.levels = new Levels(view.layers, view.residual, view.depth);
  view.cells = new Cells(view);
  view.nodeOf = new Int32Array(view.n);
  view.diagram.nodes.forEach((node, i) => {
    for (const p of eachPosition(node.positions)) view.nodeOf[p] = i;
  });
  return view;
}

async function start() {
  const report = JSON.parse(byId("report").textContent);
  const ready = new Map();
  const state = new State(() => {
    grid.paint(state.colours);
    diagram.paint();
    findings.paint();
    controls.paint(state.colours);
    paintPath(state);
    paintCell(state);
  });
  const grid = new Grid(byId("grid"), state);
  const diagram = new Diagram(byId("diagram"), state);
  const findings = new Findings(state, grid);
  const controls = new Controls(state, grid);
  new Hands(byId("grid"), grid, state);
  state.colours = new Colours();

  async function show(number) {
    if (!ready.has(number)) ready.set(number, prepare(report.views[number], report.relations));
    const view = await ready.get(number);
    showHead(view);
    showFacts(view, report.notes);
    findings.show(view);
    diagram.show(view);
    controls.show(view);
    showTasks(view, state);
    grid.show();
    showCounts(view);
    showLegend(view);
    state.show(view);
    document.body.dataset.ready = number;
  }

  byId("main").hidden = false;
  byId("choice").hidden = report.views.length < 2;
  byId("view").append(...report.views.map((view, i) => {
    const option = element("option", `${view.name}: ${view.badge}`);
    option.value = i;
    return option;
  }));
  byId("view").addEventListener("change", (event) => show(Number(event.target.value)));
  await show(0);
}

function paintCell(state) {
  const pair = state.hover ?? (state.focused ? state.cursor : null);
  byId("cell").textContent = pair ? pairWords(state.view, ...pair, state.t) :
    "Point at a cell, or move to one with the arrow keys.";
}

function showCounts({ diagram, layers }) {
  byId("axes").textContent = "row = query, column = key" +
    (layers.length > 1 ? `, read by any of ${layers.length} layers in turn` : "");
  byId("counted").textContent = `flow goes upward · ${counted(diagram.classes, "class")}, ` +
    counted(diagram.covers, "cover");
  byId("abridged").textContent = diagram.note;
}

try {
  await start();
} catch (error) {
  byId("asked").textContent = "This page needs a browser of 2023 or later.";
  throw error;
}
