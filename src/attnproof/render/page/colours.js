// Colours by role, as the style sheet has them now: [red, green, blue] each.

const ROLES = ["paper", "ink", "quiet", "hair", "empty", "read", "added", "leak"];

class Colours {
  constructor() {
    const style = getComputedStyle(document.documentElement);
    const rgb = (role) => {
      const hex = style.getPropertyValue(`--${role}`).trim().slice(1);
      return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
    };
    for (const role of ROLES) this[role] = rgb(role);
    this.ramp = [0, 1, 2, 3, 4].map((i) => rgb(`level${i}`));
    this.waiting = mix(this.empty, this.read, 0.22);
    this.barred = mix(this.empty, this.leak, 0.08);
    this.leakDeep = mix(this.paper, this.leak, 0.62);
  }

  /** From the strongest to the palest: `share` 0 is depth 2, 1 the greatest depth. */
  level(share) {
    const place = share * (this.ramp.length - 1);
    const i = Math.min(Math.floor(place), this.ramp.length - 2);
    return mix(this.ramp[i], this.ramp[i + 1], place - i);
  }
}

function mix(a, b, share) {
  return a.map((x, i) => Math.round(x + (b[i] - x) * share));
}

function css([r, g, b], alpha = 1) {
  return `rgba(${r}, ${g}, ${b}, ${alpha})`;
}
