/* The tree of the model, with states of what is drawn, and the list of signals. */

const GROUPS = { derived: "Derived", motion: "Of the motion", outputs: "Outputs", inputs: "Inputs", requests: "Requests", solver: "Solver", rti: "Real-time iterations", energy: "Energy" };
const MOST_ROWS = 400;

/* What a link is called. */
const kindOfLink = (link) => link && ({ strut: "spring-damper" }[link.kind] ?? link.kind);

class Tree {
  constructor(app) {
    this.app = app;
    this.model = make("div", "tree");
    this.signals = make("div", "tree");
    this.filter = document.getElementById("filter");
    this.open = new Set(["Bodies", "Joints", "Forces", "Motions", "Parameters", "Of the motion", "Outputs", "Requests"]);
    this.makeModel();
    this.makeSignals();
    const { kind, shapeList } = app;
    const shapes = shapeList ? [[kind === "view" ? "Freedoms" : "Shapes", shapeList.root]] : [];
    this.show = tabs(document.getElementById("side"), [...shapes, ["Model", this.model], ...(kind === "run" ? [["Signals", this.signals]] : [])],
      (name) => { this.filter.parentElement.hidden = name !== "Model" && name !== "Signals"; });
    this.filter.addEventListener("input", () => {
      this.makeModel();
      this.makeSignals();
    });
  }

  /* Shows the row of an item. */
  reveal(item) {
    if (document.body.classList.contains("noside")) this.app.toggleSide();
    this.show("Model");
    if (!this.rows.has(item)) {
      this.filter.value = "";
      for (const title of ["Bodies", "Joints", "Forces", "Motions", "Markers"]) this.open.add(title);
      this.makeModel();
    }
    this.mark(item);
  }

  /* The signals whose names hold a text. */
  find(text) {
    this.filter.value = text;
    this.filter.dispatchEvent(new Event("input"));
    this.show("Signals");
    if (document.body.classList.contains("noside")) this.app.toggleSide();
  }

  /* A heading that folds its rows. Rows are made when it is open: a model may have thousands. */
  group(root, title, entries, row, aside) {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = words.length ? entries.filter((entry) => words.every((word) => entry.name.toLowerCase().includes(word))) : entries;
    if (!kept.length) return;
    const open = words.length > 0 || this.open.has(title);
    const box = make("div", "group"), head = make("div", "head");
    const fold = make("button", "fold", title);
    fold.type = "button";
    fold.append(make("span", "count", String(kept.length)));
    fold.setAttribute("aria-expanded", String(open));
    head.append(fold, ...(aside ? [aside(kept)] : []));
    const list = make("ul");
    const fill = () => {
      list.replaceChildren(...kept.slice(0, MOST_ROWS).map(row));
      if (kept.length > MOST_ROWS) list.append(make("li", "more", `${kept.length - MOST_ROWS} more: filter by name`));
    };
    if (open) fill();
    list.hidden = !open;
    fold.addEventListener("click", () => {
      const now = list.hidden;
      list.hidden = !now;
      fold.setAttribute("aria-expanded", String(now));
      if (now && !list.children.length) fill();
      if (now) this.open.add(title);
      else this.open.delete(title);
    });
    box.append(head, list);
    root.append(box);
  }

  makeModel() {
    const { parts, run } = this.app;
    this.model.replaceChildren();
    const row = (item) => this.itemRow(item);
    const aside = (items) => this.eye("all of these", () => this.common(items), (state) => items.forEach((item) => this.setState(item, state)));
    this.rows = new Map();
    this.group(this.model, "Bodies", parts.bodies, row, aside);
    this.group(this.model, "Joints", parts.joints, row, aside);
    const names = new Set(parts.links.map((item) => item.name));
    // A force and a torque of one element are one row.
    const arrows = parts.arrows.filter(({ arrow, name }) => !arrow.reaction && !names.has(name) && names.add(name));
    // A rod without mass is a joint.
    const joints = new Set(parts.joints.map((item) => item.name));
    this.group(this.model, "Forces", [...parts.links.filter(({ name }) => !joints.has(name)), ...arrows], row, aside);
    this.group(this.model, "Motions", parts.arrows.filter(({ arrow }) => arrow.drives && arrow.kind === "force"), row, aside);
    this.group(this.model, "Markers", parts.markers, row, aside);
    const value = (parameter) => {
      const line = make("li", "parameter"), { name, value: text, unit: unitText, description } = parameter;
      const short = text.length > 8 && Number.isFinite(Number(text)) ? readable(Number(text), 6) : text;
      line.title = [`${name} = ${text} ${unitText ?? ""}`, description].filter(Boolean).join("\n");
      line.append(make("span", "name", name), make("span", "value", `${short} ${unitText ?? ""}`));
      return line;
    };
    const [own, settings] = [false, true].map((is) => (run.text.parameters ?? []).filter(({ kind }) => (kind === "setting") === is));
    this.group(this.model, "Parameters", own, value);
    this.group(this.model, "Settings", settings, value);
    if (!this.model.children.length) this.model.append(make("p", "none", "No name fits."));
  }

  common(items) {
    return items.every((item) => item.state === items[0].state) ? items[0].state : SHOWN;
  }

  /* A button that goes through shown, transparent, hidden. */
  eye(name, read, write) {
    const signs = { [SHOWN]: "eye", [CLEAR]: "half", [HIDDEN]: "off" }, next = { [SHOWN]: CLEAR, [CLEAR]: HIDDEN, [HIDDEN]: SHOWN };
    const made = button("", { sign: "eye", act: (event) => {
      event.stopPropagation();
      write(next[read()]);
      show();
    } });
    const show = () => {
      swapIcon(made, signs[read()]);
      made.classList.toggle("faint", read() === HIDDEN);
      made.title = `${read()[0].toUpperCase()}${read().slice(1).replace("clear", "transparent")}`.replace("Clear", "Transparent");
      made.setAttribute("aria-label", `${name}: ${read() === CLEAR ? "transparent" : read()}`);
    };
    made.classList.add("eye");
    made.show = show;
    show();
    return made;
  }

  itemRow(item) {
    const line = make("li");
    const name = make("button", "name");
    const dot = make("span", "dot");
    const color = item.body?.color ?? item.parts[0]?.color;
    if (color) dot.style.background = color;
    name.append(dot, make("span", "", item.name));
    const kind = item.joint?.kind ?? kindOfLink(item.link) ?? (item.body?.soft ? "flexible" : "");
    if (kind) name.append(make("small", "", kind));
    name.type = "button";
    name.title = item.name;
    name.addEventListener("click", () => this.app.stage.choose(item.chosen ? null : { item }));
    if (item.grade) {
      const sign = icon(item.grade === "note" ? "help" : "warn");
      sign.classList.add("finding", item.grade);
      sign.title = this.app.parts.findings.filter((one) => one.items.includes(item)).map((one) => one.text).join("\n");
      name.append(sign);
    }
    const eye = this.eye(item.name, () => item.state, (state) => this.setState(item, state));
    line.append(name, eye);
    line.classList.toggle("chosen", Boolean(item.chosen));
    this.rows.set(item, { line, eye });
    return line;
  }

  setState(item, state) {
    item.state = state;
    const { parts, stage } = this.app;
    // An arrow of a spring goes with it, and the torque of an element with its force.
    if (item.kind === "link" || item.kind === "arrow") for (const arrow of parts.arrows) if (arrow.name === item.name) arrow.state = state;
    this.rows.get(item)?.eye.show();
    stage.view.paint();
    this.app.draw();
  }

  mark(item) {
    for (const [one, { line }] of this.rows) line.classList.toggle("chosen", one === item);
    this.rows.get(item)?.line.scrollIntoView({ block: "nearest" });
  }

  makeSignals() {
    const { signals } = this.app;
    this.signals.replaceChildren();
    this.ticks = new Map();
    for (const [key, title] of Object.entries(GROUPS)) {
      this.group(this.signals, title, signals.filter((signal) => signal.group === key), (signal) => this.signalRow(signal));
    }
    const rest = signals.filter((signal) => !(signal.group in GROUPS));
    this.group(this.signals, "Others", rest, (signal) => this.signalRow(signal));
    if (!this.signals.children.length) this.signals.append(make("p", "none", signals.length ? "No name fits." : "The run has no signals."));
  }

  signalRow(signal) {
    const line = make("li", "signal");
    const label = make("label");
    const tick = make("input");
    tick.type = "checkbox";
    tick.checked = this.app.plots?.has(signal) ?? false;
    tick.addEventListener("change", () => this.app.plots.tick(signal, tick.checked));
    label.append(tick, make("span", "name", signal.name), make("small", "", signal.unit));
    line.title = [signal.name, signal.description, signal.thinned ? "thinned: extremes kept" : ""].filter(Boolean).join("\n");
    line.draggable = true;
    line.addEventListener("dragstart", (event) => {
      event.dataTransfer.setData("application/x-signal", String(this.app.signals.indexOf(signal)));
      event.dataTransfer.effectAllowed = "copy";
      document.body.classList.add("dragging");
    });
    line.addEventListener("dragend", () => document.body.classList.remove("dragging"));
    line.append(label);
    this.ticks.set(signal, tick);
    return line;
  }

  showTicks() {
    for (const [signal, tick] of this.ticks) tick.checked = this.app.plots.has(signal);
  }
}
