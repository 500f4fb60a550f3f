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
    this.clock = new Clock(this.motion, this.signals, (playing) => (playing ? this.frame() : this.draw()));
    this.parts = new Parts(run, this.motion);
    this.plots = new Plots(this);
    this.tree = new Tree(this);
    this.stage = new Stage(this);
    this.theme(this.dark);
    this.timeBar = new TimeBar(this.clock);
    this.makeTop();
    this.makeDesk();
    this.stage.measure();
    this.stage.fit();
    splitters(() => this.draw());
    listenToKeys(this);
    this.plots.start();
    this.applyAddress();
    addEventListener("hashchange", () => this.applyAddress());
    this.frame();
  }

  makeTop() {
    const nav = document.getElementById("topnav");
    const count = this.run.text.warnings?.length ?? 0;
    if (count) {
      const warn = button("Warnings of the check", { sign: "warn", text: `${count} warning${count === 1 ? "" : "s"}`, act: () => this.showDesk("Check") });
      warn.classList.add("badge");
      nav.append(warn);
    }
    nav.append(button("Dark or light", { sign: "sun", act: () => this.theme(!this.dark) }), button("Keys", { sign: "help", act: () => this.help(true), key: "?" }));
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

  help(on) {
    const help = document.getElementById("help");
    if (on) this.before = document.activeElement;
    help.hidden = !on;
    if (on) help.querySelector("button").focus();
    else this.before?.focus();
  }

  makeDesk() {
    const desk = document.getElementById("desk");
    const warnings = this.run.text.warnings?.length;
    this.showDesk = tabs(desk, [["Plots", this.plots.root], ["Parameters", parameterPanel(this.run)],
      ["Check", checkPanel(this.run), warnings ? String(warnings) : ""], ["Figures", figurePanel(this.run)], ["About", aboutPanel(this.run)]],
    () => this.plots.later());
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
    this.draw();
  }

  /* `#t=1.25` in the address sets the time; the page stays paused then. */
  applyAddress() {
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
    svg: (panel) => chartSvg(panel.chart(), 600, 300, chartColors(), true),
    pick: (x, y) => {
      const hit = stage.pick(x, y);
      stage.choose(hit);
      return hit && { kind: hit.item.kind, name: hit.item.name, point: hit.point };
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
