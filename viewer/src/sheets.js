/* Pages of tables, charts and words, as the data gives them. */

/* The panels of the desk that the data holds: [[name, panel]]. Charts are drawn when their tab is seen. */
function sheetPanels(app) {
  app.charts = [];
  return (app.run.text.tabs ?? []).map(({ name, parts }) => {
    const panel = make("div", "pane");
    for (const part of parts) {
      const box = make("section", `part of-${part.kind}`);
      if (part.heading) box.append(make("h2", "", part.heading));
      if (part.kind === "words") for (const line of part.lines) box.append(make("p", "words", line));
      if (part.kind === "table") box.append(sheetTable(app, part));
      if (part.kind === "chart") {
        const chart = new ChartPart(app, part, name);
        app.charts.push(chart);
        box.append(chart.root);
      }
      panel.append(box);
    }
    return [name, panel];
  });
}

/* A table whose cells may show shares as bars or shades, name entities, and whose rows may stand for shapes. */
function sheetTable(app, part) {
  const made = table(part.columns, [], part.heading);
  const body = made.querySelector("tbody");
  made.classList.add("sheet-table");
  const numeric = part.columns.map((_, k) => part.rows.every((row) => /^[−+±\-\d]|^–?$/.test(String(Array.isArray(row[k]) ? row[k][0] : row[k] ?? ""))));
  made.querySelectorAll("th").forEach((head, k) => head.classList.toggle("number", k > 0 && numeric[k]));
  part.rows.forEach((row, at) => {
    const line = make("tr");
    row.forEach((value, k) => {
      const cell = make("td", k > 0 && numeric[k] ? "number" : "");
      if (Array.isArray(value)) {
        const [text, share] = value;
        const percent = (100 * clamp(share, 0, 1)).toFixed(1);
        cell.textContent = text;
        cell.classList.add("share");
        cell.style.background = part.shade ? `color-mix(in srgb, var(--accent) ${(0.55 * percent).toFixed(1)}%, transparent)`
          : `linear-gradient(to right, color-mix(in srgb, var(--accent) 26%, transparent) ${percent}%, transparent ${percent}%)`;
      } else if (value && typeof value === "object") cell.append(entityButton(app, value));
      else cell.textContent = value ?? "";
      if (cell.textContent.length < 30) cell.classList.add("short");
      else if (part.shapes) cell.title = cell.textContent;
      line.append(cell);
    });
    if (part.shapes) {
      clickable(line, () => app.chooseShape(at));
      app.shapeRows.push({ line, at });
    }
    body.append(line);
  });
  return made;
}

/* The name of an entity; a click chooses it where it is drawn. */
function entityButton(app, { kind, name }) {
  const item = app.parts.find(kind, name);
  if (!item) return make("span", "", name);
  return Object.assign(button(`Choose ${name}`, { text: name, act: () => app.showItem(item) }), { className: "quiet entity" });
}

/* Charts that the data gives: panels over one x axis, with a reading at the pointer, cursors, and zoom. */
class ChartPart {
  constructor(app, part, tab) {
    Object.assign(this, { app, part, tab, range: null, heights: new Map(), cursors: [null, null], hidden: new Set() });
    this.root = make("div", "sheetchart");
    this.panels = part.panels.map((panel) => ({ ...panel, lines: panel.lines.map((line) => this.line(line)) }));
    this.bar = make("div", "plotbar");
    this.buttons = ["A", "B"].map((name, k) => button(`Cursor ${name}`, { text: name, act: () => this.toggle(k) }));
    const curves = this.panels.some((panel) => panel.lines.some((line) => !line.dots && line.sorted));
    this.limits = new Limits(() => this.axes());
    const more = popover("", "gear", [this.limits.root]);
    more.classList.add("right");
    more.addEventListener("toggle", () => more.open && this.limits.fill());
    more.querySelector("summary").setAttribute("aria-label", "Limits of axes");
    this.bar.append(make("span", "space"), ...(curves ? [make("span", "label", "Cursors"), ...this.buttons] : []),
      button("Show all", { sign: "fit", act: () => this.zoom(null) }), more, ...["svg", "csv"].map((kind) => button(`Save as ${kind.toUpperCase()}`, { sign: "save", text: kind.toUpperCase(), act: () => this.save(kind) })));
    this.boxes = this.panels.map((panel, k) => new ChartBox(this, panel, k));
    this.readout = make("div", "readout");
    this.root.append(this.bar, ...this.boxes.map((box) => box.root), this.readout);
    new ResizeObserver(() => this.draw()).observe(this.root);
  }

  line(line) {
    const { run } = this.app;
    const xs = run.numbers(line.x), ys = run.numbers(line.y);
    let sorted = true;
    for (let k = 1; k < xs.length; k += 1) sorted &&= xs[k] >= xs[k - 1];
    return { label: line.name, dots: line.dots, xs, ys, sorted, shapes: line.shapes, axis: 0, unit: "" };
  }

  /* The range of x: what was zoomed to, or all. */
  whole() {
    const { log } = this.part.x;
    let low = Infinity, high = -Infinity;
    const take = (x) => {
      if (!Number.isFinite(x) || (log && !(x > 0))) return;
      low = Math.min(low, x);
      high = Math.max(high, x);
    };
    for (const panel of this.panels) {
      for (const line of panel.lines) if (!this.hidden.has(line.label)) line.xs.forEach((x, k) => Number.isFinite(line.ys[k]) && take(x));
      for (const [[x]] of panel.pins) take(x);
    }
    if (!(low <= high)) return log ? [1, 10] : [0, 1];
    const loose = this.panels.some((panel) => panel.lines.some((line) => line.dots || !line.sorted));
    const span = log ? Math.log10(high / low) : high - low;
    const pad = span > 0 ? (loose ? 0.06 * span : 0) : log ? 0.3 : Math.abs(high) * 0.1 || 1;
    return log ? [low / 10 ** pad, high * 10 ** pad] : [low - pad, high + pad];
  }

  /* The axes whose limits can be typed. */
  axes() {
    const drawn = this.boxes.filter(({ chart }) => chart);
    if (!drawn.length) return [];
    const { x } = this.part;
    const along = { text: x.label, range: drawn[0].chart.x, whole: this.whole(), typed: this.range, log: x.log, take: (range) => {
      this.range = range;
      this.draw();
    } };
    return [along, ...drawn.map((box) => box.axis())];
  }

  zoom(range, box = null, heights = null) {
    this.range = range;
    if (!range) this.heights.clear();
    if (box && heights) this.heights.set(box.index, heights);
    this.draw();
  }

  toggle(k) {
    const [a, b] = this.boxes[0].chart?.x ?? this.whole();
    const middle = (s) => (this.part.x.log ? a * (b / a) ** s : a + s * (b - a));
    this.cursors[k] = this.cursors[k] === null ? middle(k ? 0.66 : 0.33) : null;
    this.buttons[k].setAttribute("aria-pressed", String(this.cursors[k] !== null));
    this.showCursors();
  }

  draw() {
    if (this.root.clientWidth < 80) return;
    for (const box of this.boxes) box.draw();
    this.showCursors();
  }

  showCursors() {
    for (const box of this.boxes) box.showCursors();
    const [a, b] = this.cursors;
    this.readout.hidden = a === null && b === null;
    if (this.readout.hidden) return;
    const text = (x) => (Number.isFinite(x) ? readable(x, 6) : "");
    const rows = [[this.part.x.label, text(a ?? NaN), text(b ?? NaN), a !== null && b !== null ? text(b - a) : ""]];
    for (const panel of this.panels) {
      for (const line of panel.lines) {
        if (this.hidden.has(line.label) || line.dots || !line.sorted) continue;
        const [p, q] = this.cursors.map((x) => (x === null ? NaN : between(line, x, this.part.x.log, panel.log)));
        rows.push([`${line.label || panel.label}${line.label && this.panels.length > 1 ? `: ${panel.label}` : ""}`, text(p), text(q), text(q - p)]);
      }
    }
    this.readout.replaceChildren(table(["", "A", "B", "B − A"], rows, "Values at the cursors"));
  }

  save(kind) {
    const name = fileName(`${this.app.run.text.title}_${this.part.heading}`, kind);
    if (kind === "csv") {
      const lines = this.panels.flatMap((panel) => panel.lines.map((line) => ({ ...line, label: line.label ? `${panel.label}: ${line.label}` : panel.label, sorted: line.sorted && !line.dots })));
      save(name, csvOf({ x: [-Infinity, Infinity], lines }, this.part.x.label), "text/csv");
      return;
    }
    const colors = { ...chartColors(), paper: getComputedStyle(document.body).getPropertyValue("--paper").trim() || "#fff" };
    const width = 760, pieces = [];
    let top = 0;
    for (const box of this.boxes) {
      const chart = squared(box.made(), width, 300);
      const svg = chartSvg(chart, width, 300, colors, true);
      pieces.push(`<g transform="translate(0 ${top})">${svg}</g>`);
      top += 300 + 14 + 16 * chart.lines.length;
    }
    save(name, `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" viewBox="0 0 ${width} ${top}">${pieces.join("")}</svg>`, "image/svg+xml");
  }
}

/* The value of a line at x, on a straight line between its samples as they are drawn. */
function between({ xs, ys }, x, logX, logY) {
  const n = xs.length;
  if (!n || x < xs[0] || x > xs[n - 1]) return NaN;
  const k = Math.min(lastNotAbove(xs, x), n - 1);
  if (k >= n - 1 || xs[k + 1] <= xs[k]) return ys[k];
  const s = logX ? Math.log(x / xs[k]) / Math.log(xs[k + 1] / xs[k]) : (x - xs[k]) / (xs[k + 1] - xs[k]);
  return logY && ys[k] > 0 && ys[k + 1] > 0 ? ys[k] * (ys[k + 1] / ys[k]) ** s : ys[k] + s * (ys[k + 1] - ys[k]);
}

/* One pair of axes of such a chart. */
class ChartBox {
  constructor(owner, panel, index) {
    Object.assign(this, { owner, panel, index });
    this.root = make("div", "panel sheetpanel");
    this.chips = make("ul", "chips");
    this.plot = make("div", "plot");
    this.paper = make("div", "chart");
    this.over = make("div", "over");
    this.dot = make("i", "spot");
    this.reading = make("div", "reading");
    this.zoombox = make("div", "zoombox");
    this.lines = [0, 1].map((k) => make("div", `cursor ${k ? "b" : ""}`));
    this.lines.forEach((line, k) => {
      line.append(make("span", "", k ? "B" : "A"));
      this.drag(line, k);
    });
    this.dot.hidden = this.reading.hidden = this.zoombox.hidden = true;
    this.over.append(this.zoombox, ...this.lines, this.dot, this.reading);
    this.plot.append(this.paper, this.over);
    this.root.append(this.chips, this.plot);
    this.listen();
    this.fillChips();
  }

  colorOf(k) {
    const colors = PALETTE[document.body.classList.contains("dark") ? "dark" : "light"];
    return { color: colors[k % colors.length], dash: k >= colors.length ? [7, 4] : undefined };
  }

  /* Names of lines; a click hides a line everywhere in the chart. */
  fillChips() {
    const named = this.panel.lines.filter((line) => line.label);
    this.chips.replaceChildren(...named.map((line) => {
      const item = make("li"), { color, dash } = this.colorOf(this.panel.lines.indexOf(line));
      const chip = button(`Show or hide ${line.label}`, { act: () => {
        const { hidden } = this.owner;
        if (!hidden.delete(line.label)) hidden.add(line.label);
        for (const box of this.owner.boxes) box.fillChips();
        this.owner.draw();
      } });
      const swatch = make("span", "swatch");
      swatch.style.borderTop = `2px ${dash ? "dashed" : "solid"} ${color}`;
      if (line.dots) Object.assign(swatch.style, { width: "8px", height: "8px", borderTop: "0", borderRadius: "50%", background: color });
      chip.className = "quiet line";
      chip.setAttribute("aria-pressed", String(!this.owner.hidden.has(line.label)));
      chip.append(swatch, make("span", "name", line.label));
      item.append(chip);
      return item;
    }));
  }

  /* The chart as data. */
  made() {
    const { owner, panel } = this;
    const lines = panel.lines.map((line, k) => ({ ...line, ...this.colorOf(k) })).filter((line) => !owner.hidden.has(line.label));
    const x = owner.range ?? owner.whole();
    const counted = [...lines, { xs: panel.limits.map(() => x[0]), ys: panel.limits.map(([value]) => value), sorted: false },
      { xs: panel.pins.map(([[at]]) => at), ys: panel.pins.map(([[, y]]) => y), sorted: false }];
    this.whole = rangeOf(counted.map((line) => ({ ...line, sorted: line.sorted && !line.dots })), x, panel.log);
    const range = owner.heights.get(this.index) ?? this.whole;
    const equal = owner.part.equal && !owner.range && !owner.heights.has(this.index);
    return { equal, lines, x, xLog: owner.part.x.log, xTitle: owner.part.x.label, axes: [{ unit: panel.label, range, log: panel.log }], limits: panel.limits, marks: panel.marks, pins: panel.pins };
  }

  /* The upward axis, whose limits can be typed. */
  axis() {
    const { owner, index, panel, whole } = this, { heights } = owner;
    return { text: panel.label, range: this.chart.axes[0].range, whole, typed: heights.get(index), log: panel.log, take: (range) => {
      if (range) heights.set(index, range);
      else heights.delete(index);
      owner.draw();
    } };
  }

  draw() {
    const width = this.plot.clientWidth, height = this.plot.clientHeight;
    if (width < 60) return;
    const colors = chartColors();
    this.chart = squared(this.made(), width, height);
    this.paper.innerHTML = chartSvg(this.chart, width, height, colors);
    const box = boxOf(this.chart, width, height);
    Object.assign(this.over.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
    this.box = box;
    this.maps = mapsOf(this.chart, { left: 0, top: 0, width: box.width, height: box.height });
  }

  showCursors() {
    this.lines.forEach((line, k) => {
      const at = this.owner.cursors[k];
      line.hidden = at === null || !this.maps || at < this.chart.x[0] || at > this.chart.x[1];
      line.setAttribute("aria-valuenow", String(at ?? ""));
      if (!line.hidden) line.style.transform = `translateX(${this.maps.x(at).toFixed(1)}px)`;
    });
  }

  /* The value of x at a place of the pointer. */
  at(px) {
    const [a, b] = this.chart.x, s = clamp(px / this.box.width, 0, 1);
    return this.chart.xLog ? a * (b / a) ** s : a + s * (b - a);
  }

  height(py) {
    const { range: [a, b], log } = this.chart.axes[0], s = clamp(1 - py / this.box.height, 0, 1);
    return log ? a * (b / a) ** s : a + s * (b - a);
  }

  drag(line, k) {
    line.tabIndex = 0;
    line.setAttribute("role", "slider");
    line.setAttribute("aria-label", `Cursor ${k ? "B" : "A"}`);
    line.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      this.owner.cursors[k] = this.at(this.maps.x(this.owner.cursors[k]) + step * (event.shiftKey ? 20 : 2));
      this.owner.showCursors();
    });
    line.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      line.setPointerCapture(event.pointerId);
      line.onpointermove = (move) => {
        this.owner.cursors[k] = this.at(move.clientX - this.over.getBoundingClientRect().left);
        this.owner.showCursors();
      };
    });
    line.addEventListener("pointerup", () => { line.onpointermove = null; });
  }

  /* The sample nearest to a place: its line, its number and its place. */
  nearest(px, py) {
    let best = null;
    for (const line of this.chart.lines) {
      for (let k = 0; k < line.xs.length; k += 1) {
        const x = this.maps.x(line.xs[k]), y = this.maps.ys[0](line.ys[k]);
        const far = Math.hypot(x - px, y - py);
        if (far < (best?.far ?? 40)) best = { line, k, x, y, far };
      }
    }
    return best;
  }

  listen() {
    const { over } = this;
    const of = (event) => {
      const { left, top } = over.getBoundingClientRect();
      return [event.clientX - left, event.clientY - top];
    };
    let from = null;
    over.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.chart) return;
      over.setPointerCapture(event.pointerId);
      from = of(event);
    });
    over.addEventListener("pointermove", (event) => {
      if (!this.chart) return;
      const [px, py] = of(event);
      if (from) {
        this.zoombox.hidden = Math.abs(px - from[0]) < 4;
        const [left, right] = [from[0], px].sort((a, b) => a - b), [top, bottom] = this.both(event) ? [from[1], py].sort((a, b) => a - b) : [0, this.box.height];
        Object.assign(this.zoombox.style, { left: `${left}px`, width: `${right - left}px`, top: `${top}px`, height: `${bottom - top}px` });
        return;
      }
      this.read(this.nearest(px, py));
    });
    over.addEventListener("pointerup", (event) => {
      const start = from, [px, py] = of(event);
      from = null;
      this.zoombox.hidden = true;
      if (!start) return;
      if (Math.abs(px - start[0]) >= 4) {
        const heights = this.both(event) ? [this.height(start[1]), this.height(py)].sort((a, b) => a - b) : null;
        this.owner.zoom([this.at(start[0]), this.at(px)].sort((a, b) => a - b), this, heights && heights[1] > heights[0] ? heights : null);
        return;
      }
      const hit = this.nearest(px, py), shape = hit?.line.shapes?.[hit.k];
      if (shape !== undefined) this.owner.app.chooseShape(shape);
    });
    over.addEventListener("pointerleave", () => this.read(null));
    over.addEventListener("dblclick", () => this.owner.zoom(null));
    over.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [px] = of(event), factor = Math.exp(clamp(event.deltaY, -200, 200) * 0.002), width = this.box.width;
      const [a, b] = this.chart.x, s = px / width, ends = [s - s * factor, s + (1 - s) * factor];
      this.owner.zoom(ends.map((end) => (this.chart.xLog ? a * (b / a) ** end : a + end * (b - a))), this);
    }, { passive: false });
  }

  /* Does a drag zoom both ways? Where lines are no functions of x, it does. */
  both(event) {
    return event.altKey || this.panel.lines.some((line) => line.dots || !line.sorted);
  }

  read(hit) {
    this.dot.hidden = this.reading.hidden = !hit;
    if (!hit) return;
    const { line, k, x, y } = hit;
    const shape = this.owner.app.motion.shapes[line.shapes?.[k]];
    this.dot.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    this.dot.style.background = line.color;
    const name = [line.label, shape ? `${shape.index + 1}: ${shape.name}` : ""].filter(Boolean).join(", ");
    this.reading.textContent = `${name ? `${name}: ` : ""}${readable(line.xs[k], 5)}, ${readable(line.ys[k], 5)}`;
    const right = x > 0.6 * this.box.width;
    Object.assign(this.reading.style, { left: right ? "" : `${x + 12}px`, right: right ? `${this.box.width - x + 12}px` : "", top: `${Math.max(0, y - 28)}px` });
  }
}
