/* The mechanism on a 2-D canvas, where there is no WebGL: flat-shaded triangles, the farthest first. */

const MOST_TRIANGLES = 60000;

class View2d {
  constructor(canvas, parts, camera) {
    Object.assign(this, { canvas, parts, camera, wire: false, dark: false });
    this.context = canvas.getContext("2d");
    this.height = parts.groundHeight();
    this.light = unit(add(times(camera.up, 1.2), add(times(camera.first, 0.5), times(camera.second, -0.8))));
    this.counts = { calls: 0, triangles: 0 };
  }

  paint() {}

  setFront() {}

  setWire(wire) { this.wire = wire; }

  setTheme(dark) { this.dark = dark; }

  resize(width, height, ratio) {
    Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    this.ratio = ratio;
  }

  /* Triangles of a surface in the picture, onto the list. */
  collect(list, points, triangles, matrix, color, opacity, back = 0) {
    const { camera } = this;
    const near = camera.flat ? -Infinity : 0.02 * camera.distance;
    const seen = new Float64Array(points.length), solid = new Float64Array(points.length);
    for (let k = 0; k < points.length; k += 3) {
      const p = place(matrix, [points[k], points[k + 1], points[k + 2]]);
      const s = camera.project(p);
      for (let c = 0; c < 3; c += 1) {
        solid[k + c] = p[c];
        seen[k + c] = s[c];
      }
    }
    const at = (k) => [solid[3 * k], solid[3 * k + 1], solid[3 * k + 2]];
    for (let k = 0; k + 2 < triangles.length; k += 3) {
      const [a, b, c] = [triangles[k], triangles[k + 1], triangles[k + 2]];
      const depth = seen[3 * a + 2] + seen[3 * b + 2] + seen[3 * c + 2] + back;
      const behind = [a, b, c].filter((corner) => seen[3 * corner + 2] < near).length;
      if (behind === 3) continue;
      const normal = cross(sub(at(b), at(a)), sub(at(c), at(a)));
      const size = norm(normal);
      if (size === 0) continue;
      // A face seen from behind is turned, so that open surfaces have two sides.
      const toEye = camera.flat ? camera.back : sub(camera.eye, at(a));
      const side = dot(normal, toEye) < 0 ? -1 : 1;
      if (side < 0 && opacity === 1 && !this.wire && triangles.length > 600) continue;
      const light = 0.52 + 0.42 * Math.max(0, (side * dot(normal, this.light)) / size) + 0.12 * ((side * dot(normal, camera.up)) / size);
      const corners = behind ? this.cut([at(a), at(b), at(c)], near) : [a, b, c].map((corner) => [seen[3 * corner], seen[3 * corner + 1]]);
      list.push({ depth, corners, color, light, opacity });
    }
  }

  /* The part of a triangle that is not behind the eye, in the picture. */
  cut(corners, near) {
    const { camera } = this;
    const out = [];
    corners.forEach((p, k) => {
      const q = corners[(k + 1) % 3];
      const dp = camera.project(p)[2] - near, dq = camera.project(q)[2] - near;
      if (dp >= 0) out.push(camera.project(p));
      if (dp * dq < 0) out.push(camera.project(add(p, times(sub(q, p), dp / (dp - dq)))));
    });
    return out;
  }

  gather() {
    const list = [];
    const { parts } = this;
    for (const part of parts.list) {
      if (!part.visible || list.length > MOST_TRIANGLES) continue;
      let color = rgb(isChosen(part) && !isNote(part) ? "#f2b632" : part.color);
      if (part.colored) color = fieldColor(part.field / (parts.fieldMost || 1));
      // A road lies behind all that stands on it.
      const back = part.origin === "road" ? 1e9 * parts.size : 0;
      this.collect(list, part.mesh.points, part.mesh.triangles, part.matrix, color, parts.opacityOf(part), back);
    }
    for (const soft of parts.softs) {
      if (!parts.isShown(soft.item) || !soft.mesh.triangles.length) continue;
      const from = list.length;
      const opacity = soft.item.state === CLEAR || parts.clear ? 0.35 : 1;
      this.collect(list, soft.deformed(parts.deformation), soft.mesh.triangles, parts.motion.matrices[soft.body],
        rgb(soft.item.chosen ? "#f2b632" : soft.color), opacity);
      if (parts.coloring === "none" || list.length - from !== soft.mesh.triangles.length / 3) continue;
      for (let k = from; k < list.length; k += 1) {
        list[k].color = fieldColor(soft.value(soft.mesh.triangles[3 * (k - from)], parts.coloring) / (parts.fieldMost || 1));
      }
    }
    return list.sort((a, b) => b.depth - a.depth);
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

  drawTraces(context, width, height) {
    for (const { way, color } of this.parts.traces) {
      context.beginPath();
      for (let k = 0; k < way.points.length; k += 3) {
        const p = this.camera.project([way.points[k], way.points[k + 1], way.points[k + 2]]);
        context.lineTo((0.5 + 0.5 * p[0]) * width, (0.5 - 0.5 * p[1]) * height);
      }
      context.strokeStyle = color;
      context.lineWidth = 1.5;
      context.stroke();
    }
  }

  draw() {
    const { context, ratio, camera } = this;
    const { width, height } = camera;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.lineJoin = "round";
    this.drawGrid(context, width, height);
    const list = this.gather();
    for (const { corners, color, light, opacity } of list) {
      context.beginPath();
      for (const [x, y] of corners) context.lineTo((0.5 + 0.5 * x) * width, (0.5 - 0.5 * y) * height);
      context.closePath();
      const fill = `rgba(${color.map((part) => Math.round(Math.min(255, part * light))).join()},${opacity})`;
      context.strokeStyle = fill;
      context.lineWidth = 0.6;
      if (!this.wire) {
        context.fillStyle = fill;
        context.fill();
      }
      if (opacity === 1 || this.wire) context.stroke();
    }
    this.drawTraces(context, width, height);
    this.counts = { calls: 0, triangles: list.length };
  }

  pose(body) {
    const part = this.parts.list.find((one) => one.body === body && one.local);
    if (part) return product(part.matrix, inverse(part.local), new Float64Array(16));
    return this.parts.motion.matrices[body];
  }
}

const rgb = (text) => [0, 1, 2].map((c) => parseInt(text.slice(1 + 2 * c, 3 + 2 * c), 16));
