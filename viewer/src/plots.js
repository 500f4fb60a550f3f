/* All panels of plots: they share the range of time, the cursors and the clock. */

class Plots {
  constructor(app) {
    Object.assign(this, { app, panels: [], range: null, cursors: [null, null], active: null, kept: new Map() });
    this.root = make("div", "pane plots");
    this.bar = make("div", "plotbar");
    this.cursorButtons = ["A", "B"].map((name, k) => button(`Cursor ${name} at the present time`, { text: name, act: () => this.toggleCursor(k), key: name }));
    this.curve = new CurveField(this);
    const whole = button("Show the whole run in all plots", { sign: "fit", act: () => this.setRange(null) });
    this.bar.append(button("Add a panel", { sign: "plus", text: "Panel", act: () => this.addPanel([]) }), this.curve.root,
      make("span", "label", "Cursors"), ...this.cursorButtons, whole);
    this.list = make("div", "panels");
    this.drop = make("div", "drop", "Drop here for a new panel");
    this.root.append(this.bar, this.list, this.drop);
    this.acceptDrop(this.drop, () => this.addPanel([]));
  }

  /* The panels that the data asks for; else the first outputs. */
  start() {
    const { run, signals } = this.app;
    const named = new Map(signals.map((signal) => [signal.name, signal]));
    let first = (run.text.panels ?? []).map((names) => names.map((name) => named.get(name)).filter(Boolean)).filter((some) => some.length);
    if (!first.length) {
      const outputs = signals.filter((signal) => signal.group === "outputs" || signal.group === "requests").slice(0, 4);
      first = outputs.length ? [outputs] : [];
    }
    for (const some of first.length ? first : [[]]) this.addPanel(some, true);
    this.activate(this.panels[0]);
    this.changed();
  }

  addPanel(signals, quiet) {
    const panel = new Panel(this, signals);
    this.panels.push(panel);
    this.list.append(panel.root);
    this.acceptDrop(panel.root, () => panel);
    if (!quiet) {
      this.activate(panel);
      this.changed();
      panel.root.scrollIntoView({ block: "nearest" });
    }
    return panel;
  }

  remove(panel) {
    panel.root.remove();
    this.panels = this.panels.filter((one) => one !== panel);
    if (this.active === panel) this.activate(this.panels[0] ?? null);
    this.changed();
  }

  activate(panel) {
    this.active = panel;
    for (const one of this.panels) one.root.classList.toggle("active", one === panel && this.panels.length > 1);
    this.app.tree?.showTicks();
  }

  acceptDrop(element, panelOf) {
    const fits = (event) => event.dataTransfer.types.includes("application/x-signal");
    element.addEventListener("dragover", (event) => {
      if (!fits(event)) return;
      event.preventDefault();
      element.classList.add("over-it");
    });
    element.addEventListener("dragleave", () => element.classList.remove("over-it"));
    element.addEventListener("drop", (event) => {
      element.classList.remove("over-it");
      const signal = this.app.signals[Number(event.dataTransfer.getData("application/x-signal"))];
      if (!fits(event) || !signal) return;
      event.preventDefault();
      this.tick(signal, true, panelOf());
    });
  }

  has(signal) {
    return this.active?.signals.includes(signal) ?? false;
  }

  tick(signal, on, panel = this.active) {
    let into = panel;
    if (!into) into = this.addPanel([], true);
    into.signals = into.signals.filter((one) => one !== signal);
    if (on) into.signals.push(signal);
    this.activate(into);
    this.app.showDesk?.("Plots");
    this.changed();
  }

  changed() {
    this.list.style.setProperty("--count", String(Math.max(1, this.panels.length)));
    for (const panel of this.panels) panel.draw();
    // Plots begin below each other.
    const room = Math.max(42, ...this.panels.map((panel) => panel.room ?? 0));
    if (room !== this.room) {
      this.room = room;
      for (const panel of this.panels) panel.draw();
    }
    this.app.tree?.showTicks();
    this.cursorButtons.forEach((made, k) => made.setAttribute("aria-pressed", String(this.cursors[k] !== null)));
  }

  /* The range of time in all plots of time. */
  shownRange() {
    const { start, end } = this.app.clock;
    return this.range ?? (end > start ? [start, end] : [start - 0.5, start + 0.5]);
  }

  setRange(range) {
    if (range) {
      const { start, end } = this.app.clock;
      const least = 1e-7 * (end - start);
      const [a, b] = [Math.max(start, Math.min(...range)), Math.min(end, Math.max(...range))];
      if (!(b - a > least)) return;
      this.range = a <= start && b >= end ? null : [a, b];
    } else {
      this.range = null;
      for (const panel of this.panels) panel.part = null;
    }
    this.later();
  }

  /* Draws once for many events. */
  later() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.changed();
    });
  }

  showTime() {
    if (this.root.hidden) return;
    for (const panel of this.panels) panel.showTime();
  }

  toggleCursor(k) {
    this.setCursor(k, this.cursors[k] === null ? this.app.clock.now : null);
  }

  setCursor(k, t) {
    const { start, end } = this.app.clock;
    this.cursors[k] = t === null ? null : clamp(t, start, end);
    this.cursorButtons[k].setAttribute("aria-pressed", String(t !== null));
    for (const panel of this.panels) panel.showCursors();
  }

  hoverAt(t, from) {
    for (const panel of this.panels) {
      if (panel !== from && (panel.kind !== "time" || from.kind !== "time")) continue;
      panel.hovered = t;
      panel.hover.hidden = t === null;
      panel.hover.dataset.at = t === null || panel !== from ? "" : `${readable(t, 5)} ${panel.kind === "time" ? "s" : "Hz"}`;
      if (t !== null && panel.maps) panel.hover.style.transform = `translateX(${panel.maps.x(t).toFixed(1)}px)`;
      panel.showTime();
    }
  }

  /* Results that take long are kept: differences, spectra, signals at other times. */
  keep(key, compute) {
    if (this.kept.size > 60) this.kept.clear();
    if (!this.kept.has(key)) this.kept.set(key, compute());
    return this.kept.get(key);
  }

  number(signal) {
    this.numbers ??= new Map();
    if (!this.numbers.has(signal)) this.numbers.set(signal, this.numbers.size);
    return this.numbers.get(signal);
  }

  difference(signal) {
    return this.keep(`d${this.number(signal)}`, () => {
      const xs = signal.times;
      return { xs, ys: Float64Array.from(signal.values, (value, k) => value - signal.other.at(xs[k])) };
    });
  }

  along(x, signal) {
    return this.keep(`x${this.number(x)} ${this.number(signal)}`, () => Float64Array.from(signal.times, (t) => x.at(t)));
  }

  spectrum(signal, kind, window) {
    return this.keep(`${kind}${this.number(signal)} ${window}`, () => (kind === "fft" ? amplitudes : density)(signal, window));
  }
}

/* A cursor in a panel: a line with a handle that moves by pointer or arrow keys. */
class Cursor {
  constructor(panel, name, k) {
    Object.assign(this, { panel, k });
    this.element = make("div", `cursor ${name.toLowerCase()}`);
    this.handle = make("span", "", name);
    this.element.append(this.handle);
    Object.assign(this.element, { tabIndex: 0 });
    this.element.setAttribute("role", "slider");
    this.element.setAttribute("aria-label", `Cursor ${name}`);
    const { plots } = panel;
    const to = (event) => plots.setCursor(k, panel.timeAt(event));
    this.element.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      this.element.setPointerCapture(event.pointerId);
      this.element.onpointermove = to;
    });
    this.element.addEventListener("pointerup", () => { this.element.onpointermove = null; });
    this.element.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === "Delete") plots.setCursor(k, null);
      if (!step) return;
      event.preventDefault();
      const [a, b] = plots.shownRange();
      plots.setCursor(k, plots.cursors[k] + (step * (event.shiftKey ? 10 : 1) * (b - a)) / 400);
    });
  }

  show() {
    const { panel, k, element } = this;
    const t = panel.plots.cursors[k];
    const [a, b] = panel.plots.shownRange();
    element.hidden = t === null || panel.kind !== "time" || t < a || t > b;
    if (element.hidden) return;
    element.style.transform = `translateX(${panel.maps.x(t).toFixed(1)}px)`;
    element.setAttribute("aria-valuenow", String(t));
    element.setAttribute("aria-valuetext", `${readable(t, 6)} s`);
  }
}

/* Pointer on a panel: a click sets the time, a drag zooms (with Alt, and in x–y, both ways), shift and drag moves, the wheel zooms, a double click shows all. */
class PanelPointer {
  constructor(panel) {
    this.panel = panel;
    const { over } = panel;
    over.addEventListener("pointerdown", (event) => this.down(event));
    over.addEventListener("pointermove", (event) => this.move(event));
    over.addEventListener("pointerup", (event) => this.up(event));
    over.addEventListener("pointerleave", () => panel.plots.hoverAt(null, panel));
    over.addEventListener("dblclick", () => panel.zoom(null));
    const zoom = (at, factor) => panel.zoom(panel.drawn.x.map((end) => at + (end - at) * factor), panel.part);
    over.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(panel.timeAt(event), Math.exp(clamp(event.deltaY, -200, 200) * 0.002));
    }, { passive: false });
    // About the present time, if it is seen.
    over.addEventListener("keydown", (event) => {
      const factor = { "+": 0.8, "=": 0.8, "-": 1.25 }[event.key];
      if (event.target !== over || (!factor && event.key !== "Backspace") || !panel.drawn) return;
      event.preventDefault();
      const [a, b] = panel.drawn.x, now = panel.plots.app.clock.now;
      if (factor) zoom(panel.kind === "time" && now > a && now < b ? now : 0.5 * (a + b), factor);
      else panel.zoom(null);
    });
  }

  down(event) {
    if (event.button !== 0 || !this.panel.drawn) return;
    this.panel.over.setPointerCapture(event.pointerId);
    this.from = { x: event.offsetX, y: event.offsetY, box: this.panel.kind === "xy" || event.altKey, at: this.panel.timeAt(event), range: [...this.panel.drawn.x], pan: event.shiftKey };
  }

  move(event) {
    const { panel, from } = this;
    if (!panel.drawn) return;
    const at = panel.timeAt(event);
    if (!from) {
      if (panel.kind !== "xy") panel.plots.hoverAt(at, panel);
      return;
    }
    const [a, b] = from.range;
    if (from.pan) {
      const shift = ((from.x - event.offsetX) / panel.place.width) * (b - a);
      panel.zoom([a + shift, b + shift], panel.part);
      return;
    }
    const [left, right] = [Math.min(from.x, event.offsetX), Math.max(from.x, event.offsetX)];
    panel.box.hidden = right - left < 4;
    const [top, bottom] = from.box ? [from.y, event.offsetY].sort((p, q) => p - q) : [0, panel.place.height];
    Object.assign(panel.box.style, { left: `${left}px`, width: `${right - left}px`, top: `${top}px`, height: `${bottom - top}px` });
  }

  /* The ranges between two heights, by unit. */
  partOf(one, other) {
    const { place, part, drawn } = this.panel;
    const [low, high] = [one, other].map((y) => clamp(1 - y / place.height, 0, 1)).sort((a, b) => a - b);
    if (high - low < 0.02) return part;
    return Object.fromEntries(drawn.axes.map(({ unit: name, log, range: [a, b] }) => {
      const at = (s) => (log ? a * (b / a) ** s : a + s * (b - a));
      return [name, [at(low), at(high)]];
    }));
  }

  up(event) {
    const { panel, from } = this;
    this.from = null;
    panel.box.hidden = true;
    if (!from || from.pan) return;
    panel.plots.hoverAt(null, panel);
    if (Math.abs(event.offsetX - from.x) >= 4) panel.zoom([from.at, panel.timeAt(event)].sort((a, b) => a - b), from.box ? this.partOf(from.y, event.offsetY) : panel.part);
    else if (panel.kind === "time") {
      panel.plots.app.clock.play(false);
      const { clock } = panel.plots.app;
      clock.set(clock.nearest(panel.timeAt(event)));
    }
  }
}
