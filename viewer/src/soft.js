/* Flexible bodies: displacement and stress of corners as sums over modes. */

class Soft {
  constructor(parts, item, body, text) {
    const { run } = parts;
    const { soft } = text;
    Object.assign(this, { parts, item, body, color: text.color });
    this.mesh = run.mesh(soft.mesh);
    this.corners = this.mesh.points.length / 3;
    this.modes = (soft.modes ?? []).map((array) => run.numbers(array));
    this.stresses = soft.stresses?.map((array) => run.numbers(array)) ?? null;
    this.q = parts.motion.modal[body];
    this.lines = (soft.lines ?? []).map((array) => run.numbers(array));
    this.segments = [];
    let corner = this.corners;
    for (const line of this.lines) {
      for (let k = 0; k + 1 < line.length / 3; k += 1) {
        const radius = 0.007 * parts.size;
        const part = parts.part(item, parts.meshes.thin, text.color, { role: "beam", radius });
        this.segments.push({ part, line, k, corner: corner + k });
      }
      corner += line.length / 3;
    }
  }

  /* Displacement of a corner, in the body's axes. */
  displacement(corner) {
    const out = [0, 0, 0];
    const count = Math.min(this.modes.length, this.q.length);
    for (let m = 0; m < count; m += 1) for (let c = 0; c < 3; c += 1) out[c] += this.q[m] * this.modes[m][3 * corner + c];
    return out;
  }

  /* What colours show of the displacement: that of the shape as a whole, or what deforms. */
  shown(corner) {
    const { q, shift, turn: turned } = this.parts.motion.fields[this.body];
    const out = [...shift];
    const count = Math.min(this.modes.length, q.length);
    for (let m = 0; m < count; m += 1) for (let c = 0; c < 3; c += 1) out[c] += q[m] * this.modes[m][3 * corner + c];
    const p = this.place(corner);
    return add(out, cross(turned, p));
  }

  /* Where a corner is, undeformed. */
  place(corner) {
    if (corner < this.corners) return [0, 1, 2].map((c) => this.mesh.points[3 * corner + c]);
    let at = corner - this.corners;
    for (const line of this.lines) {
      if (at < line.length / 3) return [0, 1, 2].map((c) => line[3 * at + c]);
      at -= line.length / 3;
    }
    return [0, 0, 0];
  }

  /* Corners of the surface with their displacement times a factor. */
  deformed(factor) {
    const out = Float32Array.from(this.mesh.points);
    const count = Math.min(this.modes.length, this.q.length);
    for (let m = 0; m < count; m += 1) {
      const mode = this.modes[m], q = factor * this.q[m];
      for (let k = 0; k < out.length; k += 1) out[k] += q * mode[k];
    }
    return out;
  }

  /* Von-Mises stress at a corner [Pa] from the sums of xx, yy, zz, xy, yz, zx; or the size of the displacement [m]. */
  value(corner, kind) {
    if (kind !== "stress") return norm(this.shown(corner));
    if (!this.stresses || corner >= this.corners) return 0;
    const s = [0, 0, 0, 0, 0, 0];
    const { q } = this.parts.motion.fields[this.body];
    const count = Math.min(this.stresses.length, q.length);
    for (let m = 0; m < count; m += 1) for (let c = 0; c < 6; c += 1) s[c] += q[m] * this.stresses[m][6 * corner + c];
    const [x, y, z, xy, yz, zx] = s;
    return Math.sqrt(0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) + 3 * (xy * xy + yz * yz + zx * zx));
  }

  /* The largest value of all corners over the run; a bounded number of corners and frames is looked at. */
  most(kind) {
    this.kept ??= {};
    const { motion } = this.parts;
    if (motion.shape !== null) return this.mostOfShape(kind);
    if (this.kept[kind] !== undefined) return this.kept[kind];
    const all = this.corners + this.lines.reduce((sum, line) => sum + line.length / 3, 0);
    const work = Math.max(1, this.q.length);
    const cornerStride = Math.max(1, Math.ceil((all * work) / 60000));
    const frames = clamp(Math.floor(4e6 / ((all / cornerStride) * work)), 10, motion.times.length);
    const now = motion.time;
    let most = 0;
    for (let k = 0; k < frames; k += 1) {
      motion.go(motion.times[Math.floor((k * (motion.times.length - 1)) / Math.max(1, frames - 1))]);
      for (let corner = 0; corner < all; corner += cornerStride) most = Math.max(most, this.value(corner, kind));
    }
    motion.go(now);
    this.kept[kind] = most;
    return most;
  }

  /* The same over a turn of the chosen shape. */
  mostOfShape(kind) {
    const { motion } = this.parts;
    const all = this.corners + this.lines.reduce((sum, line) => sum + line.length / 3, 0);
    const stride = Math.max(1, Math.ceil((all * Math.max(1, this.q.length)) / 60000));
    const now = motion.time;
    let most = 0;
    for (let k = 0; k < 4; k += 1) {
      motion.go(k / 8);
      for (let corner = 0; corner < all; corner += stride) most = Math.max(most, this.value(corner, kind));
    }
    motion.go(now);
    return most;
  }

  updateLines() {
    const matrix = this.parts.motion.matrices[this.body];
    const end = (line, k, corner) => {
      const p = [line[3 * k], line[3 * k + 1], line[3 * k + 2]];
      return place(matrix, add(p, times(this.displacement(corner), this.parts.deformation)));
    };
    for (const { part, line, k, corner } of this.segments) {
      const a = end(line, k, corner), b = end(line, k + 1, corner + 1);
      const span = sub(b, a);
      along(a, unit(span), norm(span), part.radius, part.matrix);
      part.colored = this.parts.coloring === "displacement";
      if (part.colored) part.field = 0.5 * (this.value(corner, this.parts.coloring) + this.value(corner + 1, this.parts.coloring));
    }
  }

  /* Widens a box in ground by the surface at present. */
  widen(low, high) {
    const { motion, deformation } = this.parts;
    const points = this.deformed(deformation);
    const matrix = motion.matrices[this.body];
    const stride = 3 * Math.max(1, Math.floor(points.length / 3 / 500));
    for (let k = 0; k + 2 < points.length; k += stride) {
      const p = place(matrix, [points[k], points[k + 1], points[k + 2]]);
      for (let c = 0; c < 3; c += 1) {
        low[c] = Math.min(low[c], p[c]);
        high[c] = Math.max(high[c], p[c]);
      }
    }
  }
}

/* Viridis in nine stops: even in lightness, so it reads without colour. */
const VIRIDIS = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];

function fieldColor(s) {
  const x = clamp(s, 0, 1) * (VIRIDIS.length - 1);
  const k = Math.min(VIRIDIS.length - 2, Math.floor(x));
  const part = (text, c) => parseInt(text.slice(1 + 2 * c, 3 + 2 * c), 16);
  return [0, 1, 2].map((c) => Math.round(part(VIRIDIS[k], c) + (x - k) * (part(VIRIDIS[k + 1], c) - part(VIRIDIS[k], c))));
}
