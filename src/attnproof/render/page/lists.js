// Words beside the mask: verdict, findings, the steps of a path, facts; texts are never markup.

const SHOWN_STEPS = 14;

function element(name, content = "", kind = "") {
  const made = document.createElement(name);
  made.textContent = content;
  if (kind) made.className = kind;
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

function showHead(view) {
  byId("badge").textContent = view.badge;
  byId("badge").className = `badge ${view.verdict ?? "described"}`;
  byId("asked").textContent = view.asked;
  byId("read").textContent = view.read;
  const chips = Object.entries(view.verdicts).map(([name, verdict]) => {
    const chip = element("li", name, `chip ${verdict}`);
    chip.append(element("span", verdict, "said"));
    return chip;
  });
  byId("verdicts").replaceChildren(...chips);
}

function showFacts(view, notes) {
  const parts = Object.entries({ ...view.facts, Notes: [...view.comments, ...notes] });
  const boxes = parts.filter(([, lines]) => lines.length).map(([title, lines]) => {
    const box = element("div", "", "fact");
    const list = element("ul");
    list.append(...lines.map((line) => element("li", line)));
    box.append(element("h2", title), list);
    return box;
  });
  byId("facts").replaceChildren(...boxes);
}

/** Buttons of which one is in the tab order; arrows go through the others. */
function roving(place, buttons) {
  buttons.forEach((button, i) => (button.tabIndex = i ? -1 : 0));
  place.onkeydown = (event) => {
    const here = buttons.indexOf(event.target);
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (here < 0 || !step) return;
    event.preventDefault();
    const next = clamp(here + step, 0, buttons.length - 1);
    buttons.forEach((button, i) => (button.tabIndex = i === next ? 0 : -1));
    buttons[next].focus();
  };
}

class Findings {
  constructor(state, grid) {
    this.state = state;
    this.grid = grid;
  }

  show(view) {
    this.buttons = view.findings.map((finding, i) => {
      const button = element("button", "", `finding ${finding.severity}`);
      button.type = "button";
      button.append(element("span", finding.property, "tag"), element("span", finding.text));
      button.disabled = finding.reader === null;
      button.addEventListener("click", () => {
        this.state.chooseFinding(i);
        this.grid.reveal(this.state.cursor);
      });
      return button;
    });
    const items = this.buttons.map((button) => {
      const item = element("li");
      item.append(button);
      return item;
    });
    byId("findings").replaceChildren(...items);
    roving(byId("findings"), this.buttons.filter((button) => !button.disabled));
    const unlisted = view.found - view.findings.length;
    byId("more").textContent = view.found === 0 ? "Nothing was found." :
      unlisted > 0 ? `… and ${digits(unlisted)} more` : "";
  }

  paint() {
    const { chosen } = this.state;
    this.buttons.forEach((button, i) => button.setAttribute("aria-pressed", chosen?.finding === i));
  }
}

const told = {};

/** The chosen path step by step; the middle of a long one is counted, not listed. */
function paintPath(state) {
  const { view, chosen, t } = state;
  if (!hasChanged(told, view, chosen, t)) return;
  const bad = chosen && (chosen.error || isForbidden(view, chosen.q, chosen.k));
  byId("sentence").textContent = chosen ? chosenWords(view, chosen) :
    "Choose a cell to see how its key reaches its query, or a finding.";
  byId("sentence").className = bad ? "bad" : chosen ? "" : "quiet";
  byId("counts").textContent = chosen ? holdWords(view, chosen.q, chosen.k, t) : "";
  const steps = chosen?.steps ?? [];
  const items = steps.map(([token, layer], i) => {
    const item = element("li", "", bad ? "step bad" : "step");
    const what = i ? `query ${positionName(view, token)} reads key ${steps[i - 1][0]}` :
      `token ${positionName(view, token)}`;
    item.append(element("span", i ? `layer ${layer}` : "input", "tag"), element("span", what));
    if (layer > t) item.classList.add("later");
    return item;
  });
  if (items.length > SHOWN_STEPS) {
    const hidden = items.length - SHOWN_STEPS;
    items.splice(SHOWN_STEPS / 2, hidden, element("li", `… ${counted(hidden, "step")} …`, "step quiet"));
  }
  byId("steps").replaceChildren(...items);
}

/** A finding without a path says itself what it found. */
function chosenWords(view, { q, k, steps, finding, error }) {
  return error && !steps ? view.findings[finding].text : pathWords(view, q, k);
}

function showTasks(view, state) {
  byId("tasks-panel").hidden = !view.tasks.length;
  const buttons = view.tasks.map(({ name, positions }) => {
    const button = element("button", name, "chip");
    button.type = "button";
    const point = (task) => () => state.update({ task });
    button.addEventListener("pointerenter", point(positions));
    button.addEventListener("focus", point(positions));
    button.addEventListener("pointerleave", point(null));
    button.addEventListener("blur", point(null));
    return button;
  });
  byId("tasks").replaceChildren(...buttons.map((button) => {
    const item = element("li");
    item.append(button);
    return item;
  }));
  roving(byId("tasks"), buttons);
}
