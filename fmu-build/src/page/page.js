const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};

/* Pages of parts: the kind of each part names the function that draws it. */
const draw = { scene, chart, table, words };
document.querySelector("#subtitle").textContent = data.subtitle;
data.parts.forEach((part, k) => {
  const section = make("section");
  section.id = `part${k + 1}`;
  section.append(make("h2", "", part.heading));
  document.querySelector("main").append(section);
  draw[part.kind](section, part);
  if (data.parts.length > 1) {
    const link = make("a", "", part.heading);
    link.href = `#${section.id}`;
    document.querySelector("header nav").append(link);
  }
});
if (data.parts.length === 1 && data.parts[0].kind === "scene") document.body.classList.add("whole");

function words(section, part) {
  part.lines.forEach((line) => section.append(make("p", "words", line)));
}

/* A table: cells are texts, or a text and a share from 0 to 1, which fills the cell as a bar or as a shade. */
function table(section, part) {
  const sheet = make("div", "sheet"), all = make("table"), head = make("thead"), body = make("tbody"), names = make("tr");
  sheet.tabIndex = 0;
  part.columns.forEach((name) => { const cell = make("th", "", name); cell.scope = "col"; names.append(cell); });
  head.append(names);
  part.rows.forEach((row) => {
    const line = make("tr");
    row.forEach((entry) => {
      const [text, share] = Array.isArray(entry) ? entry : [entry, null];
      const cell = make("td", "", text);
      if (share === null) {
        if (!/^[-+\u2212]?[0-9.]/.test(text)) cell.className = "word";
      } else if (part.shade) {
        cell.style.backgroundColor = `rgba(var(--fill), ${(0.75 * share).toFixed(3)})`;
        if (share > 0.75) cell.style.color = "#fff";
      } else {
        const end = (100 * share).toFixed(1);
        cell.className = "bar";
        cell.style.backgroundImage = `linear-gradient(90deg, rgba(var(--fill), 0.28) ${end}%, transparent ${end}%)`;
      }
      line.append(cell);
    });
    body.append(line);
  });
  all.append(head, body);
  sheet.append(all);
  section.append(sheet);
}

/* A chart: the picture itself, and a reading of the point that is nearest to the pointer. */
function chart(section, part) {
  const frame = make("div", "chart"), reading = make("div", "reading");
  frame.innerHTML = part.svg;
  frame.append(reading);
  section.append(frame);
  const svg = frame.querySelector("svg");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", part.heading);
  const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  dot.setAttribute("r", "4");
  dot.setAttribute("fill", "none");
  dot.setAttribute("stroke", "#24313d");
  dot.setAttribute("stroke-width", "2");
  dot.setAttribute("visibility", "hidden");
  svg.append(dot);
  const points = (line) => {
    if (line.tagName === "circle") return [[Number(line.getAttribute("cx")), Number(line.getAttribute("cy"))]];
    return [...line.getAttribute("d").matchAll(/[ML](\S+) ([^ML]+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
  };
  const panels = [...svg.querySelectorAll("g[data-axes]")].map((group) => {
    const axes = JSON.parse(group.dataset.axes);
    const lines = [...group.querySelectorAll("[data-line]")];
    return { axes, marks: lines.flatMap((line) => points(line).map((p) => [p, line.dataset.line])) };
  });
  const value = (share, [low, high, logarithmic]) => (logarithmic ? low * (high / low) ** share : low + share * (high - low));
  const digits = (x) => (Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(2) : String(Number(x.toPrecision(4))));
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const panel = panels.find(({ axes }) => y >= axes.top - 8 && y <= axes.bottom + 8);
    let best = null, least = 40 ** 2;
    (panel ? panel.marks : []).forEach(([p, name]) => {
      const far = (p[0] - x) ** 2 + (p[1] - y) ** 2;
      if (far < least) { least = far; best = [p, name]; }
    });
    dot.setAttribute("visibility", best ? "visible" : "hidden");
    reading.textContent = "";
    if (!best) return;
    const [[px, py], name] = best, { axes } = panel;
    dot.setAttribute("cx", px);
    dot.setAttribute("cy", py);
    const at = value((px - axes.left) / (axes.right - axes.left), axes.x), of = value((axes.bottom - py) / (axes.bottom - axes.top), axes.y);
    reading.textContent = `${name ? `${name}: ` : ""}${digits(at)}, ${digits(of)}`;
    reading.style.left = `${Math.min(px / scale + 12, box.width - reading.offsetWidth)}px`;
    reading.style.top = `${py / scale - 30}px`;
  });
  svg.addEventListener("pointerleave", () => { reading.textContent = ""; dot.setAttribute("visibility", "hidden"); });
}

/* Shapes by bodies as shapes by points: each point goes with its body's translation, rotation and modes. */
function spread({ points, rig }, bodies, strays) {
  const still = () => points.map(() => [0, 0, 0]), bends = new Map(rig.bends), shapes = [still(), null], own = new Map();
  points.forEach((_, k) => own.set(rig.owners[k], [...(own.get(rig.owners[k]) || []), k]));
  bodies.forEach(([body, ...parts]) => parts.forEach((numbers, part) => {
    if (!numbers) return;
    shapes[part] = shapes[part] || still();
    const [t, r, modal] = [numbers.slice(0, 3), numbers.slice(3, 6), numbers.slice(6)];
    (own.get(body) || []).forEach((k) => {
      const arm = rig.arms[k], columns = bends.get(k) || [];
      const turned = [r[1] * arm[2] - r[2] * arm[1], r[2] * arm[0] - r[0] * arm[2], r[0] * arm[1] - r[1] * arm[0]];
      shapes[part][k] = t.map((x, i) => columns.reduce((sum, column, m) => sum + modal[m] * column[i], x + turned[i]));
    });
  }));
  strays.forEach(([k, ...parts]) => parts.forEach((u, part) => { if (shapes[part]) shapes[part][k] = u; }));
  return { shape: shapes[0], other: shapes[1] };
}

/* Shapes that move: points displaced by Re(u exp(i phase)), where u is a real or a complex shape. */
function scene(section, part) {
  const root = make("div", "scene"), nav = make("nav"), stage = make("div", "stage"), canvas = make("canvas"), pen = canvas.getContext("2d");
  const caption = make("div", "caption"), strong = make("strong"), span = make("span"), controls = make("div", "controls");
  const play = make("button", "play", "Pause"), home = make("button", "home", "Reset view"), scale = make("span", "scale");
  nav.setAttribute("aria-label", "Modes");
  canvas.setAttribute("aria-label", "Moving shape");
  play.type = home.type = "button";
  const slider = (name, min, max, step, start) => {
    const label = make("label", "", name), input = make("input", name.toLowerCase());
    Object.assign(input, { type: "range", min, max, step, value: start });
    label.append(input);
    controls.append(label);
    return input;
  };
  controls.append(play);
  const amplitude = slider("Amplitude", 0, 0.4, 0.005, 0.12), speed = slider("Speed", 0.1, 2, 0.05, 0.6);
  const legend = make("label", "", "displacement 0 ");
  legend.append(scale, " largest");
  controls.append(home, legend, make("span", "", "Drag to turn, wheel to zoom, arrow keys for the next mode."));
  caption.append(strong, span);
  stage.append(canvas, caption);
  root.append(nav, stage, controls);
  section.append(root);

  if (part.rig) part.modes.forEach((one) => Object.assign(one, spread(part, one.bodies || [], one.strays || [])));
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const start = () => [part.right, part.up, cross(part.right, part.up)];
  let mode = 0, phase = 0, running = !matchMedia("(prefers-reduced-motion: reduce)").matches, before = 0, zoom = 1, view = start();
  play.textContent = running ? "Pause" : "Play";
  const color = (share) => {
    const at = Math.min(Math.max(share, 0), 1) * (part.colors.length - 1), k = Math.min(Math.floor(at), part.colors.length - 2);
    const mixed = part.colors[k].map((c, i) => Math.round(c + (part.colors[k + 1][i] - c) * (at - k)));
    return `rgb(${mixed})`;
  };
  scale.style.background = `linear-gradient(90deg, ${part.colors.map((c) => `rgb(${c})`)})`;
  const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  part.modes.forEach((one, k) => {
    const button = make("button");
    button.append(make("span", "", k + 1), make("b", "", one.frequency), make("small", "", one.label));
    button.type = "button";
    button.onclick = () => show(k);
    nav.append(button);
  });

  function show(k) {
    mode = (k + part.modes.length) % part.modes.length;
    [...nav.children].forEach((button, at) => button.setAttribute("aria-pressed", at === mode));
    const button = nav.children[mode];
    if (button.offsetTop < nav.scrollTop || button.offsetTop + button.offsetHeight > nav.scrollTop + nav.clientHeight) {
      nav.scrollTop = button.offsetTop - nav.clientHeight / 2;
    }
    strong.textContent = part.modes[mode].frequency;
    span.textContent = `Mode ${mode + 1} \u00b7 ${part.modes[mode].label}`;
    root.dataset.mode = mode + 1;
  }

  /* Where points are at a phase, in the page's units; what tests read. */
  function moved(at, size) {
    const { shape, other } = part.modes[mode], [c, s] = [Math.cos(at) * size, Math.sin(at) * size];
    return part.points.map((p, k) => p.map((x, i) => x + c * shape[k][i] - (other ? s * other[k][i] : 0)));
  }
  root.moved = moved;
  root.largest = part.modes.map(({ shape, other }) => shape.map((u, k) => Math.hypot(...u, ...(other ? other[k] : []))));

  function paint() {
    const sharp = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = width * sharp;
    canvas.height = height * sharp;
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.lineCap = pen.lineJoin = "round";
    const enlarged = 0.78 * zoom * Math.min(width, height * 1.4);
    const place = (p) => {
      const [x, y] = [0, 1].map((k) => view[k][0] * p[0] + view[k][1] * p[1] + view[k][2] * p[2]);
      return [width / 2 + x * enlarged, height / 2 - y * enlarged];
    };
    const rest = part.points.map(place), now = moved(phase, Number(amplitude.value)).map(place), size = root.largest[mode];
    const path = (points) => {
      pen.beginPath();
      points.forEach((p, k) => (k ? pen.lineTo(...p) : pen.moveTo(...p)));
      if (points.length === 1) pen.lineTo(...points[0]);
      pen.stroke();
    };
    pen.strokeStyle = ink("--still");
    pen.lineWidth = 1.5;
    part.chains.forEach((chain, c) => { if (part.styles[c] === "limb") path(chain.map((k) => rest[k])); });
    part.chains.forEach((chain, c) => {
      const style = part.styles[c];
      pen.setLineDash(style === "spring" ? [5, 4] : []);
      pen.lineWidth = { limb: 3.6, outline: 1.6, spring: 1.6, ground: 2.2, joint: 7 }[style];
      if (style === "ground" || style === "spring" || style === "joint") {
        pen.strokeStyle = ink(style === "joint" ? "--ink" : style === "spring" ? "--grey" : "--ground");
        path(chain.map((k) => now[k]));
        return;
      }
      for (let k = 1; k < chain.length; k += 1) {
        const [a, b] = [chain[k - 1], chain[k]];
        pen.strokeStyle = color(0.5 * (size[a] + size[b]));
        path([now[a], now[b]]);
      }
    });
    pen.setLineDash([]);
    pen.font = "13px Inter, 'Segoe UI', Helvetica, Arial, sans-serif";
    part.named.forEach(([k, name]) => {
      pen.beginPath();
      pen.arc(...now[k], 5, 0, 2 * Math.PI);
      pen.fillStyle = ink("--paper");
      pen.fill();
      pen.strokeStyle = ink("--ink");
      pen.lineWidth = 2;
      pen.stroke();
      pen.fillStyle = ink("--ink");
      pen.fillText(name, now[k][0] + 10, now[k][1] - 9);
    });
  }

  function turn(dx, dy) {
    const spin = (axes, a, b, angle) => {
      const [c, s] = [Math.cos(angle), Math.sin(angle)], [u, v] = [axes[a], axes[b]];
      axes[a] = u.map((x, k) => c * x + s * v[k]);
      axes[b] = v.map((x, k) => c * x - s * u[k]);
    };
    spin(view, 0, 2, dx);
    spin(view, 1, 2, -dy);
  }

  let last = null;
  canvas.onpointerdown = (event) => { last = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); };
  canvas.onpointerup = canvas.onpointercancel = () => { last = null; };
  canvas.onpointermove = (event) => {
    if (!last) return;
    turn((event.clientX - last[0]) * -0.008, (event.clientY - last[1]) * -0.008);
    last = [event.clientX, event.clientY];
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom = Math.min(Math.max(zoom * Math.exp(-event.deltaY * 0.001), 0.2), 20);
  }, { passive: false });
  play.onclick = () => { running = !running; play.textContent = running ? "Pause" : "Play"; };
  home.onclick = () => { view = start(); zoom = 1; };
  window.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const here = data.parts.length === 1 || root.contains(document.activeElement);
    if (!here || event.target.type === "range") return;
    if (step) { event.preventDefault(); show(mode + step); }
    if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); play.click(); }
  });
  function frame(now) {
    if (running) phase += 2 * Math.PI * Number(speed.value) * Math.min(now - before, 100) / 1000;
    before = now;
    paint();
    requestAnimationFrame(frame);
  }
  if (part.modes.length) { show(0); requestAnimationFrame(frame); }
}
