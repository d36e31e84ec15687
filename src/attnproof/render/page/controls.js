// The number of layers, the colours, the choice of a mask.

const WHOLE_RUN = 6000;
const ONE_STEP = 700;

class Controls {
  constructor(state, grid) {
    this.state = state;
    this.grid = grid;
    this.slider = byId("layers");
    this.slider.addEventListener("input", () => this.#slid());
    byId("play").addEventListener("click", () => this.#play());
    byId("in").addEventListener("click", () => grid.zoomAtCell(1.6));
    byId("out").addEventListener("click", () => grid.zoomAtCell(1 / 1.6));
    byId("fit").addEventListener("click", () => grid.fit());
    byId("theme").addEventListener("click", () => this.#toggleTheme());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.recolour());
  }

  show(view) {
    this.#stop();
    this.slider.max = view.levels.last;
    this.slider.disabled = view.levels.last === 0;
    byId("play").disabled = view.levels.last === 0;
  }

  #slid() {
    this.#stop();
    this.state.update({ t: Number(this.slider.value) });
  }

  #play() {
    if (this.timer) return this.#stop();
    const { last } = this.state.view.levels;
    if (this.state.t >= last) this.state.update({ t: 0 });
    byId("play").textContent = "❚❚";
    byId("play").setAttribute("aria-label", "Pause");
    this.timer = setInterval(() => {
      this.state.update({ t: Math.min(this.state.t + 1, last) });
      if (this.state.t === last) this.#stop();
    }, Math.max(16, Math.min(ONE_STEP, WHOLE_RUN / last)));
  }

  #stop() {
    clearInterval(this.timer);
    this.timer = null;
    byId("play").textContent = "▶";
    byId("play").setAttribute("aria-label", "Play the layers");
  }

  #toggleTheme() {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    this.state.recolour();
  }

  paint(colours) {
    const { view, t } = this.state;
    if (!hasChanged(this, view, t, colours, byId("gains").clientWidth, this.grid.fitting)) return;
    const words = layerWords(view, view.cells, t);
    this.slider.value = t;
    this.slider.setAttribute("aria-valuetext", words);
    byId("after").textContent = words;
    for (const id of ["in", "out", "fit"]) byId(id).disabled = this.grid.fitting >= CLOSE;
    byId("theme").textContent = isDark() ? "Light" : "Dark";
    byId("theme").setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours");
    this.#paintGains(view, t, colours);
  }

  /** Above the slider: how many pairs each layer adds, the forbidden ones in red. */
  #paintGains({ cells, levels }, t, colours) {
    const canvas = byId("gains");
    const dense = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    canvas.width = width * dense;
    canvas.height = height * dense;
    const pen = canvas.getContext("2d");
    pen.scale(dense, dense);
    const paints = cells.paints(colours);
    const most = Math.max(1, ...cells.gained.slice(1));
    const thumb = 16;
    const step = (width - thumb) / Math.max(1, levels.last);
    const bar = clamp(step * 0.6, 1, thumb);
    for (let d = 1; d <= levels.last; d++) {
      const x = thumb / 2 + d * step - bar / 2;
      const high = (count) => count && Math.max(1.5, (count / most) * (height - 2));
      pen.globalAlpha = d <= t ? 1 : 0.3;
      pen.fillStyle = css(paints[d === 1 ? READ : DEEP + d]);
      pen.fillRect(x, height - high(cells.gained[d]), bar, high(cells.gained[d]));
      pen.fillStyle = css(colours.leak);
      pen.fillRect(x, height - high(cells.leaked[d]), bar, high(cells.leaked[d]));
    }
  }
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Only what the mask shows is explained. */
function showLegend({ cells, levels, residual }) {
  const most = levels.last > 2 ? ` to ${levels.last}` : "";
  const entries = [
    [READ, "read", "read"],
    [KEPT, "added", residual ? "own state, kept by the residual" : "own state"],
    [WAITING, "waiting", "read by a layer to come"],
    [DEEP, "deep", `reached in 2${most} layers`],
    [LEAK_READ, "leak", "leak: forbidden and read"],
    [LEAK_DEEP, "leak-deep", "leak through layers"],
    [BARRED, "barred", "forbidden, not reached"],
  ];
  const shown = entries.filter(([state]) => cells.kinds.has(state));
  byId("legend").replaceChildren(...shown.map(([, kind, words]) => {
    const item = element("li", "", "entry");
    item.append(element("span", "", `swatch ${kind}`), element("span", words));
    return item;
  }));
}
