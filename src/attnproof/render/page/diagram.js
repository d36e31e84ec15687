// The Hasse diagram: classes as nodes, sources at the bottom, each linked to its rows of the mask.

const COLUMN = 7;
const STEP = 50;
const LOW_STEP = 40;
const HIGH = 12;
const TALL = 26;
const EDGE = 14;

class Diagram {
  constructor(place, state) {
    this.place = place;
    this.state = state;
    place.addEventListener("keydown", (event) => this.#key(event));
  }

  show(view) {
    const { diagram } = view;
    const wide = ({ label }) => Math.max(28, (label.length + 2) * COLUMN);
    this.nodes = diagram.nodes.map((node) => ({ ...node, wide: wide(node) }));
    const step = diagram.height > HIGH ? LOW_STEP : STEP;
    this.x = (x) => EDGE + x * COLUMN;
    this.y = (rank) => EDGE + TALL / 2 + (diagram.height - 1 - rank) * step;
    const width = 2 * EDGE + diagram.width * COLUMN;
    const height = 2 * EDGE + TALL + (diagram.height - 1) * step;
    const drawing = shape("svg", { width, height, role: "group" });
    drawing.setAttribute("aria-label", "Classes, sources at the bottom; flow goes upward");
    this.lines = diagram.lines;
    this.nodes.forEach((node, i) => (node.element = this.#node(view, node, i)));
    drawing.append(...this.lines.map((line) => this.#line(line)));
    drawing.append(...this.nodes.map((node) => node.element));
    this.place.replaceChildren(drawing);
    this.place.scrollTop = height;
    this.place.scrollLeft = (width - this.place.clientWidth) / 2;
  }

  #line({ route, dashed }) {
    const points = route.map(([x, rank]) => `${this.x(x)},${this.y(rank)}`).join(" ");
    return shape("polyline", { points, class: dashed ? "line dashed" : "line" });
  }

  #node(view, { label, x, rank, wide, classes, positions }, i) {
    const node = shape("g", { class: classes > 1 ? "node rest" : "node", role: "button" });
    node.setAttribute("tabindex", i ? -1 : 0);
    node.dataset.node = i;
    node.append(
      shape("rect", {
        x: this.x(x) - wide / 2, y: this.y(rank) - TALL / 2, width: wide, height: TALL, rx: TALL / 2,
      }),
      text(label, this.x(x), this.y(rank)),
    );
    const many = classes > 1 ? `${counted(classes, "class")}: ` : "";
    const names = view.names ? `: ${eachPosition(positions).map((p) => view.names[p]).join(", ")}` : "";
    const said = `${many}${positionsWords(positions)}${names}`;
    const title = shape("title", {});
    title.textContent = said;
    node.append(title);
    node.setAttribute("aria-label", said);
    node.addEventListener("pointerenter", () => this.state.update({ node: i }));
    node.addEventListener("pointerleave", () => this.state.update({ node: null }));
    node.addEventListener("focus", () => this.#focused(i));
    node.addEventListener("blur", () => this.state.update({ node: null }));
    node.addEventListener("click", () => this.state.pin(i));
    return node;
  }

  #focused(i) {
    this.nodes.forEach((node, j) => node.element.setAttribute("tabindex", i === j ? 0 : -1));
    this.state.update({ node: i });
  }

  /** Up and down along the lines, left and right within a rank. */
  #key(event) {
    const i = Number(event.target.dataset?.node ?? -1);
    if (i < 0) return;
    if (event.key === "Enter" || event.key === " ") this.state.pin(i);
    else if (event.key === "Escape") this.state.clear();
    else {
      const next = this.#neighbour(i, event.key);
      if (next === undefined) return;
      if (next !== null) this.nodes[next].element.focus();
    }
    event.preventDefault();
  }

  #neighbour(i, key) {
    const near = (found) => found.sort((a, b) => this.#far(i, a) - this.#far(i, b))[0] ?? null;
    const ends = this.lines.map((line) => line.ends);
    const here = this.nodes[i];
    const beside = (way) => this.nodes.map((_, j) => j).filter((j) =>
      this.nodes[j].rank === here.rank && (this.nodes[j].x - here.x) * way > 0);
    return {
      ArrowUp: () => near(ends.filter(([source]) => source === i).map(([, reader]) => reader)),
      ArrowDown: () => near(ends.filter(([, reader]) => reader === i).map(([source]) => source)),
      ArrowLeft: () => near(beside(-1)),
      ArrowRight: () => near(beside(1)),
    }[key]?.();
  }

  #far(i, j) {
    return Math.abs(this.nodes[i].x - this.nodes[j].x);
  }

  /** Mark the classes that are pointed at, that the path meets, that hold the chosen token. */
  paint() {
    const { state } = this;
    const { view, chosen, t } = state;
    const near = state.pointedNodes();
    const met = new Set(chosen?.steps?.map(([token]) => view.nodeOf[token]));
    const bad = chosen && (chosen.error || isForbidden(view, chosen.q, chosen.k));
    this.nodes.forEach(({ element, positions }, i) => {
      const holds = chosen && someHold(view, positions, chosen.k, t);
      element.classList.toggle("near", near.has(i));
      element.classList.toggle("met", met.has(i));
      element.classList.toggle("bad", Boolean(bad) && met.has(i));
      element.classList.toggle("holds", Boolean(holds));
      element.setAttribute("aria-pressed", state.pinned === i);
    });
    if (state.hover && near.size) this.#reveal(view.nodeOf[state.hover[0]]);
  }

  /** Scroll within the drawing, never the page. */
  #reveal(i) {
    const { place } = this;
    const x = this.x(this.nodes[i].x);
    const y = this.y(this.nodes[i].rank);
    if (y < place.scrollTop + TALL || y > place.scrollTop + place.clientHeight - TALL) {
      place.scrollTop = y - place.clientHeight / 2;
    }
    if (x < place.scrollLeft + 30 || x > place.scrollLeft + place.clientWidth - 30) {
      place.scrollLeft = x - place.clientWidth / 2;
    }
  }
}

function someHold(view, runs, k, t) {
  for (const [start, stop] of runs) {
    for (let p = start; p < stop; p++) if (view.levels.holds(p, k, t)) return true;
  }
  return false;
}

function eachPosition(runs) {
  return runs.flatMap(([start, stop]) => Array.from({ length: stop - start }, (_, i) => start + i));
}

function positionsWords(runs) {
  const parts = runs.map(([start, stop]) => (stop - start === 1 ? `${start}` : `${start} to ${stop - 1}`));
  const many = runs.length > 1 || runs[0][1] - runs[0][0] > 1;
  return `${many ? "positions" : "position"} ${parts.join(", ")}`;
}

function shape(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function text(label, x, y) {
  const element = shape("text", { x, y: y + 4, "text-anchor": "middle" });
  element.textContent = label;
  return element;
}
