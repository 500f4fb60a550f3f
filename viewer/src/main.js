/* The page: reads the data, builds the parts, draws when something changed. */

class App {
  constructor(run) {
    this.run = run;
    document.title = run.text.title || "Fixstep";
    document.getElementById("title").textContent = run.text.title || "Fixstep";
    document.getElementById("subtitle").textContent = run.text.subtitle ?? "";
    this.spent = [];
    this.theme(matchMedia("(prefers-color-scheme: dark)").matches);
    this.signals = signalsOf(run);
    this.motion = new Motion(run);
    this.kind = run.text.kind ?? "run";
    this.shapeRows = [];
    document.body.classList.toggle("sheets", this.kind === "sheets");
    document.body.classList.toggle("noscene", this.kind === "sheets" && !run.text.bodies.length);
    document.body.classList.toggle("still", this.kind !== "run" && !this.motion.shapes.length);
    this.clock = new Clock(this.motion, this.signals, (playing) => (playing ? this.frame() : this.draw()));
    this.parts = new Parts(run, this.motion);
    this.plots = new Plots(this);
    if (this.kind === "view" || this.motion.shapes.length) this.shapeList = new ShapeList(this);
    this.tree = new Tree(this);
    this.stage = new Stage(this);
    this.theme(this.dark);
    this.timeBar = this.motion.shapes.length ? new ShapeBar(this) : new TimeBar(this.clock);
    this.makeTop();
    this.makeDesk();
    this.stage.measure();
    this.stage.fit();
    splitters(() => this.draw());
    listenToKeys(this);
    if (this.kind === "run") this.plots.start();
    this.shapeList?.show();
    if (this.motion.shapes.some((shape) => shape.small)) {
      this.stage.tools.paint("displacement");
      this.chooseShape(0);
      this.stage.fit();
    }
    this.remembered = recall(this);
    this.applyAddress();
    addEventListener("hashchange", () => this.applyAddress());
    this.frame();
    if (run.text.live) follow(this);
  }

  /* Plays what is there to play from the beginning. */
  begin() {
    if (!this.motion.shapes.length || this.motion.shape !== null) this.clock.play(true);
  }

  /* Lets a shape move at an amplitude from 0 to 1; null: all rests. */
  chooseShape(index, amplitude = this.motion.amplitude) {
    const before = this.motion.shape;
    if (!this.motion.shapes.length) return;
    this.parts.chooseShape(index, amplitude);
    this.parts.findMost();
    this.stage.tools.makeLegend();
    this.shapeList.show();
    for (const { line, at } of this.shapeRows) line.classList.toggle("chosen", at === index);
    if (index === null) this.clock.play(false);
    else if (before === null && this.timeBar && !location.hash.includes("t=")) this.clock.play(true);
    this.stage.view.paint();
    this.draw();
  }

  /* Chooses an entity in the scene and in the tree. */
  showItem(item) {
    if (item.state === HIDDEN) this.tree.setState(item, SHOWN);
    this.stage.choose({ item });
    this.tree.reveal(item);
  }

  /* Plots what the motion tells of an item in new panels, of a body position and velocity; all of it stands among the signals. */
  plotItem(item) {
    const groups = motionSignals(this, item).map((make) => make());
    const known = (signal) => this.signals.find((one) => one.name === signal.name && one.group === "motion");
    const kept = groups.map((group) => group.map((signal) => known(signal) ?? (this.signals.push(signal), signal)));
    this.tree.open.add("Of the motion");
    this.tree.makeSignals();
    this.showDesk("Plots");
    for (const group of item.kind === "body" ? kept.slice(0, 2) : kept) this.plots.addPanel(group);
  }

  makeTop() {
    const nav = document.getElementById("topnav");
    const graves = this.parts.findings.filter((one) => one.grade !== "note");
    if (graves.length) {
      const warn = button("Findings of the check", { sign: "warn", text: counted(graves), act: () => this.showDesk("Check") });
      warn.classList.add("badge");
      warn.classList.toggle("bad", graves.some((one) => one.grade === "error"));
      nav.append(warn);
    }
    nav.append(button("Dark or light", { sign: "sun", act: () => this.theme(!this.dark) }), button("Keys", { sign: "help", act: () => this.help(true), key: "?" }));
    this.makeSkips();
    const side = document.getElementById("sidebutton");
    side.append(icon("side"));
    side.title = "Model and signals (M)";
    side.addEventListener("click", () => this.toggleSide());
    if (innerWidth < 1100) this.toggleSide();
    else side.setAttribute("aria-expanded", "true");
    const help = document.getElementById("help");
    const list = make("dl");
    for (const [keys, text] of KEYS) list.append(make("dt", "", keys), make("dd", "", text));
    const sheet = make("div", "sheet");
    const mouse = "In the view: drag turns, shift and drag moves, the wheel zooms, a click chooses. In plots: a click sets the time, a drag zooms (with Alt, and in x–y, both ways), shift and drag moves, the wheel zooms, a double click shows all.";
    sheet.append(make("h2", "", "Keys"), list, make("p", "words", mouse), button("Close", { text: "Close", quiet: false, act: () => this.help(false) }));
    help.append(sheet);
    help.addEventListener("click", (event) => event.target === help && this.help(false));
  }

  /* The first stops of the Tab key: ways past the header and the tree. */
  makeSkips() {
    const { classList } = document.body;
    const places = [["Skip to the mechanism", "#canvas", !classList.contains("noscene")], [`Skip to ${this.kind === "run" ? "plots" : "tables"}`, '#desk [role="tab"][aria-selected="true"]', true],
      ["Skip to the time", "#time .main", !classList.contains("still") && !classList.contains("noscene")]].filter(([, , there]) => there);
    document.querySelector(".skip").append(...places.map(([text, place]) => button(text, { text, act: () => document.querySelector(place)?.focus() })));
  }

  help(on) {
    const help = document.getElementById("help");
    if (on) this.before = document.activeElement;
    for (const part of document.querySelectorAll("#top, #work, #time, .skip")) part.inert = on;
    help.hidden = !on;
    if (on) help.querySelector("button").focus();
    else this.before?.focus();
  }

  makeDesk() {
    const desk = document.getElementById("desk");
    const { text } = this.run;
    const warnings = this.parts.findings.length;
    const check = ["Check", checkPanel(this), warnings ? String(warnings) : ""], figures = ["Figures", figurePanel(this.run)], about = ["About", aboutPanel(this.run)];
    const sheets = sheetPanels(this);
    const all = this.kind === "run" ? [["Plots", this.plots.root], ["Parameters", parameterPanel(this.run)], ...sheets, check, figures, about]
      : this.kind === "view" ? [check, ...sheets, ...(text.figures?.length ? [figures] : []), about]
      : [...sheets, ...(warnings ? [check] : []), ...(text.figures?.length ? [figures] : []), about];
    this.deskNames = all.map(([name]) => name);
    this.showDesk = tabs(desk, all, (name) => {
      this.deskName = name;
      if (this.kind === "run") this.plots.later();
      for (const chart of this.charts) if (chart.tab === name) chart.draw();
    });
  }

  toggleSide() {
    const closed = document.body.classList.toggle("noside");
    document.getElementById("sidebutton").setAttribute("aria-expanded", String(!closed));
  }

  theme(dark) {
    this.dark = dark;
    document.body.classList.toggle("dark", dark);
    document.body.classList.toggle("light", !dark);
    if (!this.stage) return;
    this.stage.view.setTheme(dark);
    this.plots.changed();
    for (const chart of this.charts ?? []) {
      for (const box of chart.boxes) box.fillChips();
      chart.draw();
    }
    this.draw();
  }

  /* `#t=1.25` in the address sets the time, or the phase in turns, and the page stays paused then; `shape=2` chooses a shape, `tab=Name`
   * a page of the desk. */
  applyAddress() {
    const shape = /[#&]shape=(\d+)/.exec(location.hash);
    if (shape && this.motion.shapes[Number(shape[1]) - 1]) this.chooseShape(Number(shape[1]) - 1);
    const tab = /[#&]tab=([^&]+)/.exec(location.hash);
    if (tab && this.deskNames.includes(decodeURIComponent(tab[1]))) this.showDesk(decodeURIComponent(tab[1]));
    const found = /[#&]t=([-+0-9.eE]+)/.exec(location.hash);
    if (!found || !Number.isFinite(Number(found[1]))) return false;
    this.clock.play(false);
    this.clock.set(Number(found[1]));
    return true;
  }

  /* Draws soon, once for many changes. */
  draw() {
    if (this.asked || !this.timeBar) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.frame();
    });
  }

  /* One frame, now; the time of the script is kept. */
  frame() {
    const start = performance.now();
    this.motion.go(this.clock.now);
    this.stage.draw();
    const middle = performance.now();
    this.timeBar.show();
    this.plots.showTime();
    this.stage.drawTexts();
    const end = performance.now();
    this.spent.push([end - start, middle - start]);
    if (this.spent.length > 120) this.spent.shift();
  }
}

/* What tests ask the page. */
function hooks(app) {
  const { motion, stage } = app;
  return {
    app,
    time: () => app.clock.now,
    setTime: (t) => {
      app.clock.play(false);
      app.clock.set(t);
      app.frame();
    },
    play: (on) => app.clock.play(on),
    // Position and rotation (w x y z) of a body, by number or name, as it stands in the scene.
    pose: (body) => {
      const index = typeof body === "number" ? body : app.run.text.bodies.findIndex((one) => one.name === body);
      const m = stage.view.pose(index);
      return m && { position: [m[12], m[13], m[14]], rotation: rotationOf(m) };
    },
    stats: () => {
      const middle = (k) => app.spent.map((one) => one[k]).sort((a, b) => a - b)[app.spent.length >> 1] ?? 0;
      return { ...stage.view.counts, script: middle(0), view: middle(1), frames: app.spent.length, webgl: stage.view instanceof View3d };
    },
    forget: () => app.spent.splice(0),
    thinned,
    shape: (k, amplitude) => app.chooseShape(k, amplitude),
    reach: (k) => app.parts.reachOf(app.motion.shapes[k]).most,
    factor: () => app.motion.factor,
    findings: () => app.parts.findings.map(({ grade, text, item }) => ({ grade, text, item: item && { kind: item.kind, name: item.name } })),
    chosen: () => app.stage.chosen && { kind: app.stage.chosen.kind, name: app.stage.chosen.name },
    chart: (k) => app.charts[k].boxes.map((box) => ({ label: box.panel.label, x: box.chart?.x, lines: box.panel.lines.map((line) => ({ name: line.label, x: Array.from(line.xs), y: Array.from(line.ys) })) })),
    csv: (panel) => csvOf(panel.chart(), panel.xName),
    svg: (panel) => chartSvg(panel.chart(), 600, 300, chartColors(), true),
    svgOf: (panel, width, height) => chartSvg(panel.chart(), width, height, chartColors()),
    pick: (x, y) => {
      const hit = stage.pick(x, y);
      stage.choose(hit);
      return hit && { kind: hit.item.kind, name: hit.item.name, point: hit.point };
    },
    // The part that is painted at a pixel where there is no WebGL, and the one that the ray through it meets first; by number.
    painted: (x, y) => stage.view.partAt(x, y)?.number ?? null,
    met: (x, y) => {
      const ray = stage.camera.ray((2 * x) / stage.camera.width - 1, 1 - (2 * y) / stage.camera.height);
      return app.parts.pick(...ray, 0, (part) => app.parts.opacityOf(part) === 1)?.part?.number ?? null;
    },
    // Where a point of a body is in the picture [px].
    seen: (body, position) => {
      const [x, y] = stage.camera.project(motion.point({ body, position }, 1));
      return [(0.5 + 0.5 * x) * stage.camera.width, (0.5 - 0.5 * y) * stage.camera.height];
    },
    // Samples of a line that is plotted, as the plot holds them.
    plotted: (name) => {
      for (const panel of app.plots.panels) {
        const line = panel.drawn?.lines.find((one) => one.label === name);
        if (line) return { panel: app.plots.panels.indexOf(panel), kind: panel.kind, x: Array.from(line.xs), y: Array.from(line.ys), unit: line.unit };
      }
      return null;
    },
  };
}

/* Tells of what went wrong instead of an empty page. */
function complain(error) {
  console.error(error);
  const notice = make("p", "broken", `This page could not be shown: ${error.message ?? error}`);
  notice.setAttribute("role", "alert");
  document.body.prepend(notice);
}

window.fixstep.open = async () => {
  try {
    const app = new App(new Run(await window.fixstep.unpacked("data")));
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    Object.assign(window.fixstep, hooks(app));
    if (!still && !location.hash.includes("t=")) app.begin();
  } catch (error) {
    complain(error);
    throw error;
  }
};
