/* The part of the page around the view: toolbar, choice of a body and what is known of it, legend, labels, axes. */

class Stage {
  constructor(app) {
    this.app = app;
    Object.assign(this, { run: app.run, motion: app.motion, parts: app.parts, chosen: null, follow: 0, mode: "position" });
    this.canvas = document.getElementById("canvas");
    this.element = document.getElementById("scene");
    this.camera = new Camera(this.parts.up, this.parts.size);
    this.make3d();
    if (this.run.text.notice) this.notify(this.run.text.notice);
    // Analyses name what moves, unless the names would hide it.
    const sheets = this.run.text.kind === "sheets";
    this.named = sheets && Boolean(this.run.text.marked);
    this.titled = sheets && !this.named && this.parts.bodies.length <= 13;
    this.measure();
    this.camera.frame(this.parts.wideBounds());
    this.followBody(this.run.text.follow ?? 0);
    this.tools = new Tools(this);
    this.card = document.getElementById("card");
    steer(this.canvas, this.camera, () => app.draw(), (x, y) => this.choose(this.pick(x, y)));
    this.canvas.addEventListener("keydown", (event) => this.turnByKey(event));
    new ResizeObserver(() => {
      this.measure();
      this.refit();
      app.draw();
    }).observe(this.element);
    this.labels = [];
  }

  /* The 3-D view if the browser can; else the 2-D view, and a sentence that says so. */
  make3d() {
    const no3d = !window.THREE ? "This page was written without its 3-D part" : !hasWebGl() ? "This browser gives no WebGL" : "";
    if (!no3d) {
      try {
        this.view = new View3d(this.canvas, this.parts, this.camera);
        return;
      } catch (error) {
        console.warn(error);
        const fresh = this.canvas.cloneNode(true);
        this.canvas.replaceWith(fresh);
        this.canvas = fresh;
      }
    }
    this.view = new View2d(this.canvas, this.parts, this.camera);
    this.notify(`${no3d || "WebGL does not work here"}: the mechanism is drawn in 2-D.`);
  }

  /* Sentences over the picture. */
  notify(text) {
    this.notices = [...(this.notices ?? []), text];
    const notice = document.getElementById("notice");
    const close = button("Close this notice", { sign: "close", act: () => { notice.hidden = true; } });
    notice.replaceChildren(make("span", "", this.notices.join(" ")), close);
    notice.hidden = false;
  }

  /* With Alt, arrows turn the view; plus and minus zoom. */
  turnByKey(event) {
    const turns = { ArrowLeft: [-15, 0], ArrowRight: [15, 0], ArrowUp: [0, -15], ArrowDown: [0, 15] };
    const zooms = { "+": 0.85, "=": 0.85, "-": 1.18 };
    if (event.altKey && turns[event.key]) this.camera.turn(...turns[event.key]);
    else if (zooms[event.key]) this.camera.zoom(zooms[event.key]);
    else return;
    event.preventDefault();
    this.app.draw();
  }

  measure() {
    const { width, height } = this.element.getBoundingClientRect();
    this.camera.width = Math.max(1, width);
    this.camera.height = Math.max(1, height);
    this.view.resize(this.camera.width, this.camera.height, Math.min(2, devicePixelRatio || 1));
    this.camera.settle();
  }

  followBody(body, mode = this.mode) {
    Object.assign(this, { follow: body, mode });
    this.last = body ? this.spot() : null;
    // The view stays as it is while the mode changes.
    this.camera.azimuth += this.camera.heading;
    this.camera.heading = mode === "heading" && this.last ? this.last.heading : 0;
    this.camera.azimuth -= this.camera.heading;
    this.camera.settle();
    this.tools?.show();
    this.app.draw?.();
  }

  /* Where the followed body is, and its heading about the upward axis [degrees]. */
  spot() {
    const m = this.motion.matrices[this.follow];
    const center = place(m, this.run.text.bodies[this.follow].center ?? [0, 0, 0]);
    const { first, second } = this.camera;
    const ahead = [m[0], m[1], m[2]];
    return { center, heading: (Math.atan2(dot(ahead, second), dot(ahead, first)) * 180) / Math.PI };
  }

  fit() {
    // A body that travels alone would fill the view, and nothing would show that it moves.
    const alone = this.follow && this.run.text.bodies.length === 2;
    this.frame(this.follow ? this.parts.bounds() : this.parts.wideBounds(), 0.3, alone ? 2 : 1);
  }

  /* Frames the chosen part, if there is one that is drawn; else all. */
  fitChosen() {
    const box = this.chosen && this.parts.boundsOf(this.chosen);
    if (box) this.frame(box, 0.01, 1);
    else this.fit();
  }

  frame(box, least, factor) {
    const { camera } = this;
    camera.frame(box, least);
    camera.distance *= factor;
    camera.settle();
    this.framed = { distance: camera.distance, box: box.map((corner) => sub(corner, camera.target)), least, factor };
    this.app.draw();
  }

  /* The same again in a view of another shape, unless the reader has zoomed since. */
  refit() {
    const { framed, camera } = this;
    if (framed?.distance === camera.distance) this.frame(framed.box.map((corner) => add(corner, camera.target)), framed.least, framed.factor);
  }

  /* One picture: parts to their places, the camera after its body. */
  draw() {
    this.parts.update();
    if (this.follow && this.last) {
      const now = this.spot();
      this.camera.target = add(this.camera.target, sub(now.center, this.last.center));
      if (this.mode === "heading") this.camera.heading = now.heading;
      this.last = now;
      this.camera.settle();
    }
    this.view.draw();
  }

  /* Texts around the picture; not part of the picture's time. */
  drawTexts() {
    this.drawLabels();
    this.drawTriad();
    if (this.chosen) this.fillCard();
    const step = this.view.ground?.step ?? roundStep(0.12 * this.camera.distance);
    document.getElementById("scale").textContent = `Grid ${shownIn(this.run, "length", step)}`;
  }

  pick(x, y) {
    const [origin, direction] = this.camera.ray((2 * x) / this.camera.width - 1, 1 - (2 * y) / this.camera.height);
    return this.parts.pick(origin, direction);
  }

  choose(hit) {
    const item = hit?.item ?? null;
    for (const one of this.parts.items) one.chosen = false;
    this.chosen = item;
    this.hit = null;
    if (item) {
      item.chosen = true;
      for (const arrow of this.parts.loadsOf(item)) arrow.chosen = true;
      if (hit.point && item.kind === "body") this.hit = place(inverse(this.motion.matrices[item.index]), hit.point);
    }
    // What is chosen is seen, wherever it starts.
    this.view.setFront(this.tools.inFront || this.parts.shows.marker || this.parts.loadsOf(item ?? {}).length > 0);
    this.parts.update();
    this.makeCard();
    this.view.paint();
    this.app.tree?.mark(item);
    this.app.draw();
  }

  makeCard() {
    const { card, chosen } = this;
    card.hidden = !chosen;
    if (!chosen) return;
    const head = make("header");
    head.append(make("span", "kind", chosen.kind === "body" && chosen.body.soft ? "flexible body" : chosen.joint?.kind ?? kindOfLink(chosen.link) ?? (chosen.arrow ? (chosen.arrow.drives ? "motion" : "force") : chosen.kind)));
    head.append(make("strong", "", chosen.name), button("Close", { sign: "close", act: () => this.choose(null) }));
    this.rows = make("dl");
    const foot = make("div", "row");
    if (chosen.kind === "body" && chosen.index) {
      foot.append(button("Follow this body", { sign: "target", text: "Follow", act: () => this.followBody(chosen.index) }));
      const text = this.hit ? "Trace point" : "Trace centre";
      if (!this.motion.shapes.length) foot.append(button("Trace of the point that was clicked", { sign: "trace", text, act: () => this.trace() }));
    }
    const about = this.parts.findings.filter((one) => one.items.includes(chosen));
    if (about.length) foot.append(button("Findings about it", { sign: "warn", text: counted(about), act: () => this.app.showDesk("Check") }));
    const free = this.motion.shapes.findIndex((shape) => shape.of && this.parts.find(...shape.of) === chosen);
    if (free >= 0) foot.append(button("Let it move", { sign: "play", text: "Move", act: () => this.app.chooseShape(free) }));
    if ((this.run.text.kind ?? "run") === "run" && motionSignals(this.app, chosen).length) {
      foot.append(button("Plot what the motion tells of it", { text: "Plot", act: () => this.app.plotItem(chosen) }));
    }
    if (this.app.signals.some(({ name, group }) => group !== "motion" && name.includes(chosen.name))) {
      foot.append(button("Signals with this name", { text: "Signals", act: () => this.app.tree.find(chosen.name) }));
    }
    foot.append(button("Hide", { sign: "off", text: "Hide", act: () => this.app.tree.setState(chosen, HIDDEN) }));
    card.replaceChildren(head, this.rows, foot);
    this.fillCard();
  }

  trace() {
    const { index, body } = this.chosen;
    const position = this.hit ?? body.center ?? [0, 0, 0];
    const colors = ["#d55e00", "#0072b2", "#009e73", "#cc79a7"];
    const color = colors[this.parts.traces.length % colors.length];
    this.parts.traces.push({ body: index, position, color, way: this.motion.way({ body: index, position }) });
    this.tools.show();
    this.app.draw();
  }

  fillCard() {
    const rows = cardRows(this);
    const cells = this.rows.children;
    if (cells.length !== 2 * rows.length) {
      this.rows.replaceChildren(...rows.flatMap(([name]) => [make("dt", "", name), make("dd")]));
    }
    rows.forEach(([, value], k) => {
      if (cells[2 * k + 1].textContent !== value) cells[2 * k + 1].textContent = value;
    });
  }

  /* What stands before values of arrows between frames. */
  about() {
    return this.motion.between ? "≈ " : "";
  }

  /* Numbers at the heads of arrows: of those that are chosen, or of all if there are few. */
  drawLabels() {
    const box = document.getElementById("labels");
    const all = this.parts.arrows.filter((item) => this.parts.isShown(item) && item.parts[0].drawn !== false);
    this.drawKey(all);
    const arrows = (all.length > 16 ? all.filter((item) => item.chosen) : all).slice(0, 24);
    const named = this.parts.markers.filter((item) => this.parts.isShown(item) && (this.named || item.chosen)).slice(0, 150);
    const titled = this.titled ? this.parts.bodies.filter((item) => item.index > 0 && this.parts.isShown(item)).slice(0, 150) : [];
    const shown = [...arrows, ...named, ...titled];
    while (this.labels.length < shown.length) this.labels.push(box.appendChild(make("span")));
    const taken = [];
    this.labels.forEach((label, k) => {
      label.hidden = k >= shown.length;
      if (label.hidden) return;
      const { tip, vector, arrow, marker, body, index, name } = shown[k];
      const at = marker ? this.motion.point(marker, this.parts.deformation) : body ? place(this.motion.matrices[index], body.center ?? [0, 0, 0]) : tip;
      const [x, y, depth] = this.camera.project(at);
      label.hidden = depth <= 0 && !this.camera.flat;
      label.textContent = arrow ? "" : name;
      if (arrow) label.textContent = this.about() + shownIn(this.run, arrow.kind, norm(vector), 3);
      const [px, py] = [(0.5 + 0.5 * x) * this.camera.width + 6, (0.5 - 0.5 * y) * this.camera.height - 9], wide = 6.5 * label.textContent.length + 10;
      // Of those that would lie on each other, the first is seen.
      label.hidden ||= taken.some(([a, b, other]) => Math.abs(py - b) < 16 && px < a + other && a < px + wide);
      if (!label.hidden) taken.push([px, py, wide]);
      label.style.transform = `translate(${px.toFixed(1)}px, ${py.toFixed(1)}px)`;
    });
  }

  /* What the colours of arrows stand for, and the largest of each at present. */
  drawKey(arrows) {
    const names = { force: "Forces", torque: "Torques", reaction: "Reactions" };
    const largest = new Map();
    for (const { arrow, vector } of arrows) {
      const kind = arrow.reaction ? "reaction" : arrow.kind, size = norm(vector), so = largest.get(kind) ?? {};
      if (!(size <= so[arrow.kind])) largest.set(kind, { ...so, [arrow.kind]: size });
    }
    const rows = Object.keys(names).filter((kind) => largest.has(kind)).map((kind) => {
      const said = Object.entries(largest.get(kind)).map(([own, size]) => shownIn(this.run, own, size, 3));
      return [kind, `${names[kind]}, largest ${this.about()}${said.join(", ")}`];
    });
    if (this.parts.findings.some(({ grade, item }) => grade !== "note" && item?.kind === "body")) rows.push(["doubt", "Parts with findings of the check"]);
    const box = document.getElementById("key"), key = String(rows);
    if (box.dataset.key === key) return;
    box.dataset.key = key;
    box.hidden = !rows.length;
    box.replaceChildren(...rows.map(([kind, text]) => {
      const row = make("li"), swatch = make("span", "swatch");
      swatch.style.borderTop = `3px solid ${COLORS[kind] ?? "#f08a24"}`;
      row.append(swatch, make("span", "", text));
      return row;
    }));
  }

  drawTriad() {
    const svg = document.getElementById("triad");
    const { right, top, back } = this.camera;
    const axes = [["X", 0, "var(--axis-x)"], ["Y", 1, "var(--axis-y)"], ["Z", 2, "var(--axis-z)"]]
      .map(([name, c, color]) => ({ name, color, x: 19 * right[c], y: -19 * top[c], depth: back[c] }))
      .sort((a, b) => a.depth - b.depth);
    svg.innerHTML = axes.map(({ name, color, x, y, depth }) =>
      `<g style="stroke:${color};fill:${color}" opacity="${(0.7 + 0.3 * depth).toFixed(2)}"><line x2="${x.toFixed(1)}" y2="${y.toFixed(1)}" stroke-width="2" stroke-linecap="round"/>` +
      `<text x="${(1.35 * x).toFixed(1)}" y="${(1.35 * y).toFixed(1)}" stroke="none">${name}</text></g>`).join("");
  }
}

/* What the card says of the chosen part at the present time: [name, text]. */
function cardRows(stage) {
  const { chosen } = stage;
  const rows = { body: bodyRows, marker: markerRows, link: linkRows, joint: loadRows, arrow: loadRows }[chosen.kind];
  return rows(stage, chosen);
}

/* The components of a vector; what is rounding beside the longest is 0. */
function components(v, factor, unitText) {
  const size = norm(v);
  return `${v.map((x) => readable(Math.abs(x) < Math.max(1e-7 * size, 1e-9 * factor) ? 0 : x / factor, 5)).join(", ")}\u00a0${unitText}`;
}

const lengthOf = (run) => run.text.length ?? { unit: "m", factor: 1 };

function bodyRows(stage, { index, body }) {
  const { run, motion } = stage, { unit: unitText, factor } = lengthOf(run), about = stage.about();
  const m = motion.matrices[index];
  const rows = body.mass === null || body.mass === undefined ? [] : [["mass", shownIn(run, "mass", body.mass, 5)]];
  rows.push(["origin of its axes", about + components([m[12], m[13], m[14]], factor, unitText)]);
  if (body.center && norm(body.center) > 0) rows.push(["centre of mass", about + components(place(m, body.center), factor, unitText)]);
  rows.push(["roll, pitch, yaw", about + components(rollPitchYaw(rotationOf(m)), 1, "°")]);
  const rates = index && !motion.shapes.length && motion.velocity(index);
  if (!rates) return rows;
  rows.push(["velocity of its origin", about + components(rates.linear, factor, `${unitText}/s`)], ["speed of its origin", `${about}${readable(norm(rates.linear) < 1e-9 * factor ? 0 : norm(rates.linear) / factor, 5)} ${unitText}/s`],
    ["angular velocity", about + components(rates.angular, 1, "rad/s")]);
  const q = motion.modal[index];
  if (q.length) rows.push(["modal coordinates", about + Array.from(q.slice(0, 4), (x) => readable(x, 3)).join(", ") + (q.length > 4 ? ` … (${q.length})` : "")]);
  return rows;
}

function markerRows({ run, motion }, { marker }) {
  const { unit: unitText, factor } = lengthOf(run), { body, position, rotation } = marker;
  return [["on", run.text.bodies[body].name], ["in its axes", components(position, factor, unitText)], ["roll, pitch, yaw", components(rollPitchYaw(rotation), 1, "°")],
    ["in ground", components(motion.point(marker, 1), factor, unitText)]];
}

function linkRows(stage, item) {
  const { run, motion, parts } = stage, { unit: unitText, factor } = lengthOf(run);
  const { points } = item.link;
  const rows = [["between", [...new Set([points[0], points[points.length - 1]].map((point) => run.text.bodies[point.body].name))].join(" and ")],
    ["length", `${stage.about()}${readable(motion.length(points) / factor, 5)} ${unitText}`]];
  return parts.loadsOf(item).some((one) => !one.arrow.reaction) ? [...rows, ...loadRows(stage, item)] : rows;
}

/* Where marker I of a joint is in the axes of J, and how it moves there; of flexible bodies not told, which bend between. */
function coordinateRows(stage, { i, j }) {
  const { run, motion } = stage;
  if (run.text.bodies[i.body].soft || run.text.bodies[j.body].soft) return [];
  const { unit: unitText, factor } = lengthOf(run), about = stage.about();
  const [of, from] = [i, j].map(({ body, position, rotation }) => product(motion.matrices[body], compose(position, rotation, [1, 1, 1], new Float64Array(16)), new Float64Array(16)));
  const seen = product(inverse(from), of, new Float64Array(16));
  const rows = [["I in axes of J", about + components([seen[12], seen[13], seen[14]], factor, unitText)], ["roll, pitch, yaw", about + components(rollPitchYaw(rotationOf(seen)), 1, "°")]];
  const [own, other] = [i, j].map(({ body }) => (body ? motion.velocity(body) : { angular: [0, 0, 0] }));
  if (motion.shapes.length || !own || !other) return rows;
  const rate = sub(own.angular, other.angular), along = (k) => dot(rate, [from[4 * k], from[4 * k + 1], from[4 * k + 2]]);
  return [...rows, ["angular rate in J", about + components([along(0), along(1), along(2)], 1, "rad/s")]];
}

/* What acts through a joint, a motion or a force. */
function loadRows(stage, item) {
  const { run, parts } = stage, { bodies } = run.text, { unit: unitText, factor } = lengthOf(run);
  const loads = parts.loadsOf(item), [first] = loads;
  const rows = item.joint ? [["body of marker I", bodies[item.joint.i.body].name], ["body of marker J", bodies[item.joint.j.body].name]]
    : first ? [["on", bodies[first.arrow.at.body].name], ["by", bodies[first.arrow.from]?.name ?? "no body: there is no reaction"]] : [];
  if (item.joint) rows.push(...coordinateRows(stage, item.joint));
  const touches = loads.some(({ arrow, vector }) => norm(vector) > parts.least[arrow.kind]);
  if (first?.spots) rows.push(["point of contact", touches ? stage.about() + components(first.start, factor, unitText) : "does not touch"]);
  for (const { arrow, vector } of loads) {
    const scale = run.text[arrow.kind], size = norm(vector) < parts.least[arrow.kind] ? 0 : norm(vector);
    rows.push([arrow.reaction ? `reaction ${arrow.kind}` : arrow.kind, stage.about() + components(size ? vector : [0, 0, 0], scale.factor, scale.unit)],
      ["size", stage.about() + shownIn(run, arrow.kind, size, 5)]);
  }
  return rows;
}
