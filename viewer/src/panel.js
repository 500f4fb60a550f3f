/* A panel of plots: time, x–y, or a spectrum. */

const PALETTE = { light: ["#0072b2", "#d55e00", "#00876c", "#a8559c", "#5b6472", "#8a7300", "#3f9bd8"],
  dark: ["#5db7f0", "#ff9d5c", "#45cfa3", "#e7a1cd", "#c3ccd6", "#e3d05a", "#8fb8ff"] };

function chartColors() {
  const style = getComputedStyle(document.body);
  const read = (name, fallback) => style.getPropertyValue(name).trim() || fallback;
  return { ink: read("--grey", "#667"), grid: read("--grid", "#eee"), line: read("--line", "#ccc") };
}

/* Is a time between samples of a signal that has not all rows? */
function isBetween(signal, t) {
  if (!signal.partial) return false;
  const k = lastNotAbove(signal.times, t);
  const near = (j) => Math.abs((signal.times[j] ?? Infinity) - t) < 1e-9 * Math.max(1, Math.abs(t));
  return !near(k) && !near(k + 1);
}

class Panel {
  constructor(plots, signals) {
    Object.assign(this, { plots, signals: [...signals], kind: "time", x: null, range: null, part: null, log: false, equal: null, difference: false, statistics: false });
    this.root = make("section", "panel");
    this.root.setAttribute("aria-label", "Plot");
    this.legend = make("ul", "chips");
    this.caption = make("p", "caption");
    this.plot = make("div", "plot");
    this.chartBox = make("div", "chart");
    this.over = make("div", "over");
    Object.assign(this.over, { tabIndex: 0, role: "group" });
    this.now = make("div", "now");
    this.dot = make("div", "dots");
    this.hover = make("div", "hover");
    this.box = make("div", "zoombox");
    this.hover.hidden = this.box.hidden = true;
    this.readout = make("div", "readout");
    this.handles = ["A", "B"].map((name, k) => new Cursor(this, name, k));
    this.over.append(this.now, this.dot, this.hover, this.box, ...this.handles.map((handle) => handle.element));
    this.plot.append(this.chartBox, this.over);
    this.root.append(this.makeHead(), this.caption, this.plot, this.readout);
    this.root.addEventListener("pointerdown", () => plots.activate(this), true);
    new PanelPointer(this);
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  makeHead() {
    const head = make("div", "panelhead"), acts = make("div", "acts");
    this.kindChooser = chooser("Kind of plot", [["time", "Time"], ["xy", "x–y"], ["fft", "FFT"], ["psd", "PSD"]], "time", (kind) => this.setKind(kind));
    const { signals } = this.plots.app;
    this.xChooser = chooser("Signal along x", [], "", (index) => this.set({ x: signals[Number(index)] }));
    this.yChooser = chooser("Signal along y", [], "", (index) => {
      const [first] = this.upward(), chosen = signals[Number(index)];
      const rest = this.signals.filter((signal) => signal !== chosen);
      this.set({ signals: rest.includes(first) ? rest.map((signal) => (signal === first ? chosen : signal)) : [...rest, chosen] });
    });
    this.limits = new Limits(() => this.axes());
    const more = popover("", "gear", [
      (this.logBox = check("Logarithmic upward", false, (on) => this.set({ log: on }))),
      (this.equalBox = check("Same scale along both axes", false, (on) => this.set({ equal: on }))),
      ...(this.plots.app.run.text.against ? [check("Difference to the other run", false, (on) => this.set({ difference: on }))] : []),
      check("Statistics of what is seen", false, (on) => this.set({ statistics: on })),
      this.limits.root,
      button("All of it", { text: "Show the whole range", act: () => {
        this.zoom(null);
        this.limits.fill();
      } }),
      (this.exported = make("small", "words")),
      ...["png", "svg", "csv"].map((kind) => button(`Save as ${kind.toUpperCase()}`, { sign: "save", text: `Save as ${kind.toUpperCase()}`, act: () => exportPanel(this, kind) })),
    ]);
    more.classList.add("right");
    more.addEventListener("toggle", () => more.open && this.limits.fill());
    more.querySelector("summary").setAttribute("aria-label", "More: logarithm, limits, saving");
    acts.append(this.kindChooser, this.yChooser, this.xChooser, more, button("Remove this panel", { sign: "close", act: () => this.plots.remove(this) }));
    head.append(this.legend, acts);
    return head;
  }

  /* Are both axes of an x–y plot of one unit, upward not logarithmic? */
  canEqual() {
    const units = new Set(this.upward().map((signal) => signal.unit));
    return this.kind === "xy" && !this.log && units.size === 1 && units.has(this.x?.unit);
  }

  /* What files hold, if that is not all. */
  exportedRange() {
    const { x, wholeX } = this.drawn ?? {};
    if (!x || this.kind === "xy" || (x[0] <= wholeX[0] && x[1] >= wholeX[1])) return "";
    return `Files hold what is seen: ${readable(x[0], 5)} to ${readable(x[1], 5)} ${this.kind === "time" ? "s" : "Hz"}`;
  }

  /* The axes whose limits can be typed. */
  axes() {
    const { drawn, plots } = this, time = this.kind === "time";
    if (!drawn) return [];
    const along = { text: drawn.xTitle, range: drawn.x, whole: drawn.wholeX, typed: time ? plots.range : this.range, take: (range) => {
      if (!time) return this.setTyped({ range });
      if (range) plots.setRange(range);
      else plots.range = null;
      return plots.later();
    } };
    const up = drawn.axes.map(({ unit, range, whole, log }) => ({ text: unit ? `y [${unit}]` : "y", range, whole, log, typed: this.part?.[unit], take: (typed) => {
      const { [unit]: _, ...rest } = this.part ?? {};
      this.setTyped({ part: typed ? { ...rest, [unit]: typed } : rest });
    } }));
    return [along, ...up];
  }

  set(values) {
    Object.assign(this, values);
    this.plots.changed();
  }

  /* Limits that are typed hold, whatever the scales. */
  setTyped(values) {
    this.equal = false;
    this.set(values);
  }

  /* A spectrum is taken over the time between the cursors, or over what is seen. */
  setKind(kind) {
    const { plots } = this;
    const [a, b] = plots.cursors;
    if ((kind === "fft" || kind === "psd") && (this.kind === "time" || this.kind === "xy")) {
      this.window = a !== null && b !== null && a !== b ? [Math.min(a, b), Math.max(a, b)] : [...plots.shownRange()];
    }
    if (kind === "xy") this.x ??= this.signals[0] ?? plots.app.signals[0];
    const spectrum = kind === "fft" || kind === "psd";
    if (spectrum !== (this.kind === "fft" || this.kind === "psd")) this.log = spectrum;
    if (kind === "xy") {
      this.log = false;
      this.equal = null;
    }
    this.logBox.querySelector("input").checked = this.log;
    this.kind = kind;
    this.kindChooser.value = kind;
    this.range = spectrum ? busyRange(this.lines(), kind) : null;
    plots.changed();
  }

  get xName() { return { time: "time [s]", xy: "x", fft: "frequency [Hz]", psd: "frequency [Hz]" }[this.kind]; }

  /* The signals that are drawn upward: all, or those that do not lie along x. */
  upward() {
    return this.kind === "xy" ? this.signals.filter((signal) => signal !== this.x) : this.signals;
  }

  /* Lines: of each signal, then of its partner in the other run. */
  lines() {
    const colors = PALETTE[document.body.classList.contains("dark") ? "dark" : "light"];
    const out = [];
    this.upward().forEach((signal, k) => {
      const color = colors[k % colors.length];
      const dash = k >= colors.length ? [7, 4] : undefined;
      const push = (one, label, dashes) => {
        const samples = this.samplesOf(one, one !== signal);
        if (samples) out.push({ ...samples, signal: one, owner: signal, label, color, dash: dashes, unit: this.unitOf(one) });
      };
      if (this.difference && signal.other) {
        const { xs, ys } = this.plots.difference(signal);
        out.push({ xs, ys, sorted: true, signal, owner: signal, label: `${signal.name} − ${signal.other.from}`, color, dash, unit: signal.unit });
        return;
      }
      push(signal, signal.name, dash);
      if (signal.other) push(signal.other, `${signal.name} (${signal.other.from})`, [4, 3]);
    });
    return out;
  }

  unitOf(signal) {
    if (this.kind !== "psd") return signal.unit;
    return signal.unit ? `(${signal.unit})²/Hz` : "1/Hz";
  }

  samplesOf(signal, other) {
    if (this.kind === "time") return { xs: signal.times, ys: signal.values, sorted: true };
    if (this.kind === "xy") {
      const x = other ? this.x.other ?? this.x : this.x;
      const xs = x.base === signal.base ? x.values : this.plots.along(x, signal);
      return { xs, ys: signal.values, sorted: false };
    }
    // What is thinned has other frequencies.
    const spectrum = signal.thinned ? null : this.plots.spectrum(signal, this.kind, this.window);
    return spectrum && { ...spectrum, sorted: true };
  }

  /* The chart as data. Each unit has its axis. */
  chart() {
    const lines = this.lines();
    const units = [...new Set(lines.map((line) => line.unit))].slice(0, 4);
    for (const line of lines) line.axis = Math.max(0, units.indexOf(line.unit));
    const { start, end } = this.plots.app.clock;
    let x = this.kind === "time" ? this.plots.shownRange() : this.range, wholeX = [start, end];
    if (!x || this.kind !== "time") {
      const ends = lines.map(({ xs, ys }) => rangeOf([{ xs: ys, ys: xs, sorted: false }], [0, 0], false));
      wholeX = ends.length ? [Math.min(...ends.map((end) => end[0])), Math.max(...ends.map((end) => end[1]))] : [0, 1];
      if (this.kind !== "xy" && ends.length) wholeX = [0, Math.max(...lines.map(({ xs }) => xs[xs.length - 1] ?? 1))];
      x ??= wholeX;
    }
    const axes = (units.length ? units : [""]).map((unitText, k) => {
      const mine = lines.filter((line) => line.axis === k);
      const log = this.log && mine.length > 0;
      const range = rangeOf(mine, this.kind === "xy" ? [-Infinity, Infinity] : x, log);
      return { unit: unitText, log, range: this.part?.[unitText] ?? range, whole: range };
    });
    const xTitle = this.kind === "xy" && this.x ? `${this.x.name}${this.x.unit ? ` [${this.x.unit}]` : ""}` : this.xName;
    // By itself only where that leaves both ranges in sight.
    const spans = [x, axes[0].range].map(([a, b]) => b - a), alike = Math.max(...spans) < 4 * Math.min(...spans);
    return { lines, x, wholeX, axes, xTitle, equal: this.canEqual() && (this.equal ?? alike) };
  }

  /* The place on x of a pointer. */
  timeAt(event) {
    const { left } = this.over.getBoundingClientRect();
    const [a, b] = this.drawn.x;
    return a + ((event.clientX - left) / this.place.width) * (b - a);
  }

  zoom(range, part = null) {
    this.part = part; // ranges upwards, by unit
    if (this.kind === "time") this.plots.setRange(range);
    else {
      this.range = range;
      this.draw();
    }
  }

  draw() {
    const width = this.plot.clientWidth, height = this.plot.clientHeight;
    if (width < 60 || height < 40) return;
    this.drawn = squared({ ...this.chart(), room: this.plots.room }, width, height);
    [this.room] = roomsOf({ ...this.drawn, room: 0 }, height);
    this.place = drawChart(this.chartBox, this.drawn, width, height, chartColors());
    const { left, top, width: w, height: h } = this.place;
    Object.assign(this.over.style, { left: `${left}px`, top: `${top}px`, width: `${w}px`, height: `${h}px` });
    this.maps = mapsOf(this.drawn, { left: 0, top: 0, width: w, height: h });
    this.over.setAttribute("aria-label", `Plot of ${this.drawn.lines.map((line) => line.label).join(", ") || "nothing"}: + and − zoom, Backspace shows all`);
    this.fillLegend();
    this.fillCaption();
    this.equalBox.hidden = !this.canEqual();
    this.equalBox.querySelector("input").checked = Boolean(this.drawn.equal);
    this.exported.textContent = this.exportedRange();
    this.showTime();
    this.showCursors();
  }

  fillCaption() {
    const first = this.drawn.lines[0];
    const spectrum = this.kind === "fft" || this.kind === "psd";
    const thinned = this.signals.filter((signal) => signal.thinned);
    const partial = this.signals.find((signal) => signal.partial)?.partial ?? "";
    this.caption.hidden = !spectrum && this.upward().length > 0 && !thinned.length && !partial;
    if (thinned.length) {
      const names = thinned.length === this.signals.length ? "These lines are" : `${thinned.map((signal) => signal.name).join(", ")}: lines`;
      this.caption.textContent = `${names} thinned: extremes of 4000 spans${spectrum ? "; no spectrum of them. All rows are in the table of -o; a shorter run or a longer --step keeps them here." : "."}`;
    } else if (spectrum && first) {
      const [a, b] = this.window;
      this.caption.textContent = `${this.kind === "fft" ? "Amplitudes (peaks of sines)" : "Welch's density"} of ${readable(a, 4)} to ${readable(b, 4)} s: Hann's window, ${first.count} samples, Δf = ${readable(first.width, 3)} Hz`;
    } else if (partial) this.caption.textContent = `Signals of the motion have ${partial}; values between them have ≈. Outputs and requests of the model have all.`;
    else this.caption.textContent = spectrum ? "The window holds no samples." : "Tick signals in the tree, drag them here, or type a curve above.";
    const { signals } = this.plots.app;
    for (const [list, letter, signal] of [[this.xChooser, "x", this.x], [this.yChooser, "y", this.upward()[0]]]) {
      list.hidden = this.kind !== "xy";
      if (list.hidden) continue;
      // Any two signals; a run may have thousands, so the list is made only when there are others.
      if (list.length !== signals.length + 1) {
        list.replaceChildren(...[{ name: "choose" }, ...signals].map((one, k) => Object.assign(make("option", "", `${letter}: ${one.name}`), { value: k - 1, disabled: !k })));
      }
      const several = letter === "y" && this.upward().length > 1;
      list.options[0].textContent = several ? `y: ${this.upward().length} signals` : `${letter}: choose`;
      list.value = String(several ? -1 : signals.indexOf(signal));
    }
  }

  fillLegend() {
    this.values = this.drawn.lines.map((line) => {
      const chip = make("li"), value = make("span", "value");
      const swatch = make("span", "swatch");
      swatch.style.borderTop = `2px ${line.dash ? "dashed" : "solid"} ${line.color}`;
      const name = make("span", "name", line.label);
      chip.title = [line.label, line.owner.description, line.signal.thinned ? "thinned: extremes kept" : ""].filter(Boolean).join("\n");
      chip.append(swatch, name, value, make("span", "unit", line.unit));
      if (line.signal === line.owner) chip.append(button(`Remove ${line.label}`, { sign: "close", act: () => this.plots.tick(line.owner, false, this) }));
      return { line, value, chip };
    });
    this.legend.replaceChildren(...this.values.map(({ chip }) => chip));
  }

  /* The value of a line at a place on x. */
  valueAt(line, x) {
    if (this.kind === "time" && line.ys === line.signal.values) return line.signal.at(x);
    const { xs, ys } = line;
    const n = Math.min(xs.length, ys.length);
    if (!n || x < xs[0] || x > xs[n - 1]) return NaN;
    const k = Math.min(lastNotAbove(xs, x), n - 1);
    if (this.kind !== "time" || k >= n - 1) return ys[k];
    return ys[k] + ((x - xs[k]) / (xs[k + 1] - xs[k] || 1)) * (ys[k + 1] - ys[k]);
  }

  /* Line of the present time, dots on the curves, and values in the legend. */
  showTime() {
    if (!this.maps) return;
    const t = this.plots.app.clock.now;
    const timed = this.kind === "time";
    const px = this.maps.x(t);
    this.now.hidden = !timed || px < -1 || px > this.place.width + 1;
    this.now.style.transform = `translateX(${px.toFixed(1)}px)`;
    const at = this.hovered ?? (timed ? t : null);
    if (!this.hovered && this.kind === "xy") this.showPoint(t);
    else if (this.kind !== "xy" && this.dot.children.length) this.dot.replaceChildren();
    for (const { line, value } of this.values) {
      const number = this.kind === "xy" ? readable(line.signal.at(t), 5) : at === null ? "" : readable(this.valueAt(line, at), 5);
      const text = timed && at !== null && isBetween(line.signal, at) ? `≈ ${number}` : number;
      if (value.textContent !== text) value.textContent = text.replace("NaN", "–");
    }
  }

  /* In an x–y plot: where each curve is now. */
  showPoint(t) {
    const { lines } = this.drawn;
    while (this.dot.children.length < lines.length) this.dot.append(make("i"));
    while (this.dot.children.length > lines.length) this.dot.lastChild.remove();
    lines.forEach((line, k) => {
      const x = (line.signal !== line.owner ? this.x.other ?? this.x : this.x).at(t), y = line.signal.at(t);
      const dot = this.dot.children[k];
      dot.hidden = !Number.isFinite(x + y);
      dot.style.background = line.color;
      if (!dot.hidden) dot.style.transform = `translate(${this.maps.x(x).toFixed(1)}px, ${this.maps.ys[line.axis](y).toFixed(1)}px)`;
    });
  }

  showCursors() {
    if (!this.maps) return;
    const { cursors } = this.plots;
    for (const handle of this.handles) handle.show();
    const timed = this.kind === "time" && cursors.some((t) => t !== null) && this.drawn.lines.length > 0;
    this.readout.hidden = !timed && !this.statistics;
    this.readout.replaceChildren(...(timed ? this.cursorTable() : []), ...(this.statistics ? [this.statisticsTable()] : []));
  }

  statisticsTable() {
    const { lines, x } = this.drawn;
    const seen = this.kind === "xy" ? [-Infinity, Infinity] : x;
    const key = `${seen} ${lines.map((line) => line.label)}`;
    if (this.counted?.key !== key) {
      const rows = lines.map((line) => [line.label, ...statistics(line.sorted ? line : { xs: line.signal.times, ys: line.ys }, seen).map((value) => readable(value, 5).replace("NaN", "–")), line.unit]);
      this.counted = { key, made: table(["", "least", "largest", "mean", "RMS", ""], rows, "Statistics") };
    }
    return this.counted.made;
  }

  /* Values at the cursors and their differences. */
  cursorTable() {
    const { cursors } = this.plots;
    const [a, b] = cursors;
    const both = a !== null && b !== null;
    const value = (line, t) => (t === null ? "" : (isBetween(line.signal, t) ? "≈ " : "") + readable(this.valueAt(line, t), 6).replace("NaN", "–"));
    const rows = this.drawn.lines.map((line) => [line.label, value(line, a), value(line, b),
      both ? readable(this.valueAt(line, b) - this.valueAt(line, a), 6).replace("NaN", "–") : "", line.unit]);
    const time = ["time", a === null ? "" : readable(a, 7), b === null ? "" : readable(b, 7), both ? readable(b - a, 6) : "", "s"];
    const made = table(["", "A", "B", "B − A", ""], [time, ...rows], "Values at the cursors");
    return both && a !== b ? [made, make("small", "", `1/Δt = ${readable(1 / Math.abs(b - a), 5)} Hz`)] : [made];
  }
}
