/* The mechanism on a 2-D canvas, where there is no WebGL: pixels with depths, fewer of them while it moves, more when it rests. */

/* Pixels of the picture for one of the page: those of a finished picture, and the least. A picture may take so long [ms], and has so
 * many pixels at most. */
const FINE = 2, COARSE = 0.5, PATIENCE = 45, MOST_PIXELS = 5e6;

class View2d {
  constructor(canvas, parts, camera) {
    Object.assign(this, { canvas, parts, camera, wire: false, dark: false, front: false, scale: 1, fine: FINE });
    this.context = canvas.getContext("2d");
    this.height = parts.groundHeight();
    this.raster = new Raster(camera, unit(add(times(camera.up, 1.2), add(times(camera.first, 0.5), times(camera.second, -0.8)))));
    this.sheet = make("canvas");
    this.counts = { calls: 0, triangles: 0 };
  }

  paint() {}

  setFront(front) { this.front = front; }

  setWire(wire) { this.wire = wire; }

  setTheme(dark) { this.dark = dark; }

  resize(width, height, ratio) {
    Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    this.ratio = ratio;
    this.fine = Math.min(FINE, Math.sqrt(MOST_PIXELS / (width * height)));
  }

  /* What is drawn, as surfaces with their inks. */
  surfaces() {
    const { parts } = this;
    const all = [];
    for (const part of parts.list) {
      if (!part.visible) continue;
      const own = tonesOf(part.colored ? fieldColor(part.field / (parts.fieldMost || 1)) : rgb(part.color));
      const { center } = ball(part.mesh);
      all.push({ mesh: part.mesh, matrix: part.matrix, note: isNote(part), depth: this.camera.project(place(part.matrix, center))[2],
        chosen: isChosen(part) && !part.ghost && !part.inertia && part.item.kind !== "arrow",
        ink: { number: part.number + 1, tone: () => own, opacity: parts.opacityOf(part), wire: this.wire && !isNote(part) } });
    }
    parts.softs.forEach((soft, k) => {
      if (parts.isShown(soft.item) && soft.mesh.triangles.length) all.push(this.softSurface(soft, parts.list.length + k + 1));
    });
    return all;
  }

  /* A flexible surface as it is bent, with the colours of its corners. */
  softSurface(soft, number) {
    const { parts } = this;
    const points = soft.deformed(parts.deformation), { triangles } = soft.mesh;
    const matrix = parts.motion.matrices[soft.body];
    const mesh = { points, triangles, normals: normalsOf(points, triangles, new Float64Array(points.length)), closed: isClosed(soft.mesh) };
    const plain = tonesOf(rgb(soft.color)), colored = parts.coloring !== "none";
    const steps = Array.from({ length: 64 }, (_, k) => tonesOf(fieldColor(k / 63)));
    const tone = (corner) => (colored ? steps[Math.round(63 * clamp(soft.value(corner, parts.coloring) / (parts.fieldMost || 1), 0, 1))] : plain);
    const clear = soft.item.state === CLEAR || parts.clear || parts.shows.inertia !== "none";
    return { mesh, matrix, note: false, chosen: soft.item.chosen, depth: this.camera.project([matrix[12], matrix[13], matrix[14]])[2], ink: { number, tone, opacity: clear ? 0.35 : 1, wire: this.wire } };
  }

  drawGrid(context, width, height) {
    const { camera } = this;
    const step = roundStep(0.12 * camera.distance);
    const [first, second] = square(camera.up);
    const base = times(camera.up, this.height);
    const a = Math.round(dot(camera.target, first) / step), b = Math.round(dot(camera.target, second) / step);
    context.strokeStyle = this.dark ? "rgba(160,180,200,.22)" : "rgba(90,112,134,.25)";
    context.lineWidth = 1;
    context.beginPath();
    const line = (from, to) => {
      const p = camera.project(from), q = camera.project(to);
      if (!camera.flat && (p[2] <= 0 || q[2] <= 0)) return;
      context.moveTo((0.5 + 0.5 * p[0]) * width, (0.5 - 0.5 * p[1]) * height);
      context.lineTo((0.5 + 0.5 * q[0]) * width, (0.5 - 0.5 * q[1]) * height);
    };
    const at = (u, v) => add(base, add(times(first, (a + u) * step), times(second, (b + v) * step)));
    for (let k = -10; k <= 10; k += 1) {
      for (let j = -10; j < 10; j += 1) {
        line(at(k, j), at(k, j + 1));
        line(at(j, k), at(j + 1, k));
      }
    }
    context.stroke();
  }

  /* The ways of points: faint as a whole, strong up to now. */
  drawTraces(scale) {
    const { raster, parts, camera } = this;
    for (const { way, color } of parts.traces) {
      const ends = Array.from({ length: way.points.length / 3 }, (_, k) => {
        const d = sub([way.points[3 * k], way.points[3 * k + 1], way.points[3 * k + 2]], camera.target);
        return [dot(d, camera.right), dot(d, camera.top), camera.distance - dot(d, camera.back), 0];
      });
      const strong = tonesOf(rgb(color))[200], faint = over(strong, 0.35, 0);
      for (let k = 0; k + 1 < ends.length; k += 1) {
        if (ends[k][2] < raster.near || ends[k + 1][2] < raster.near) continue;
        const past = way.times[k + 1] <= parts.motion.time;
        raster.line(raster.projected(ends[k]), raster.projected(ends[k + 1]), past ? strong : faint, (past ? 2.5 : 1.5) * scale, 0);
      }
    }
  }

  /* All surfaces, with so many pixels for one of the page. */
  render(scale) {
    const { raster, camera } = this;
    raster.resize(Math.max(1, Math.round(camera.width * scale)), Math.max(1, Math.round(camera.height * scale)));
    raster.clear();
    const all = this.surfaces();
    const draw = ({ mesh, matrix, ink }) => raster.surface(mesh, matrix, ink);
    const later = (one) => (this.front && one.note);
    for (const one of all) if (one.ink.opacity === 1 && !later(one)) draw(one);
    this.drawTraces(scale);
    // What is seen through comes after what is behind it.
    for (const one of all.filter((some) => some.ink.opacity < 1 && !later(some)).sort((a, b) => b.depth - a.depth)) draw(one);
    if (this.front) {
      raster.nearer();
      for (const one of all) if (later(one)) draw(one);
    }
    const chosen = all.filter((one) => one.chosen);
    for (const one of chosen) raster.surface(one.mesh, one.matrix, { masked: true });
    if (chosen.length) raster.outline(tonesOf(rgb(MARK))[200], Math.max(1, 2.2 * scale));
    this.counts = { calls: 0, triangles: raster.triangles, scale };
    Object.assign(this.sheet, { width: raster.width, height: raster.height });
    this.sheet.getContext("2d").putImageData(raster.image, 0, 0);
    const { context, ratio } = this, { width, height } = camera;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.drawGrid(context, width, height);
    context.imageSmoothingQuality = "high";
    context.drawImage(this.sheet, 0, 0, width, height);
  }

  /* A picture as fine as the time allows; the finest, when there is no other for a while. */
  draw() {
    clearTimeout(this.soon);
    const start = performance.now();
    this.render(this.scale);
    const spent = performance.now() - start;
    const wanted = this.scale * Math.sqrt(PATIENCE / Math.max(1, spent));
    // Half the way: one slow picture says little.
    if (spent > PATIENCE || spent < 0.5 * PATIENCE) this.scale = clamp(0.5 * (this.scale + wanted), COARSE, Math.min(this.ratio, this.fine));
    this.soon = setTimeout(() => this.render(this.fine), 160);
  }

  /* The part that is seen at a place of the page; null if there is none. */
  partAt(x, y) {
    const { raster, camera, parts } = this;
    const at = Math.floor((y / camera.height) * raster.height) * raster.width + Math.floor((x / camera.width) * raster.width);
    return parts.list[raster.parts[at] - 1] ?? null;
  }

  pose(body) {
    const part = this.parts.list.find((one) => one.body === body && one.local);
    if (part) return product(part.matrix, inverse(part.local), new Float64Array(16));
    return this.parts.motion.matrices[body];
  }
}
