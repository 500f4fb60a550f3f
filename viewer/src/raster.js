/* Surfaces painted into an array of pixels, each with its depth: what is nearest is seen, however surfaces cut each other. */

/* Is every edge of a surface shared by two of its triangles, once in each direction? Then its back is never seen. Kept with the mesh. */
function isClosed(mesh) {
  if (mesh.closed !== undefined) return mesh.closed;
  const { points, triangles } = mesh;
  const known = new Map(), count = points.length / 3;
  const same = Uint32Array.from({ length: count }, (_, k) => {
    const key = `${points[3 * k]} ${points[3 * k + 1]} ${points[3 * k + 2]}`;
    if (!known.has(key)) known.set(key, k);
    return known.get(key);
  });
  const open = new Map();
  const edge = (a, b) => {
    if (a === b) return;
    const key = a < b ? a * count + b : b * count + a;
    open.set(key, (open.get(key) ?? 0) + (a < b ? 1 : -1));
  };
  for (let k = 0; k + 2 < triangles.length; k += 3) {
    const [a, b, c] = [same[triangles[k]], same[triangles[k + 1]], same[triangles[k + 2]]];
    edge(a, b);
    edge(b, c);
    edge(c, a);
  }
  mesh.closed = triangles.length > 0 && [...open.values()].every((sum) => sum === 0);
  return mesh.closed;
}

/* A colour in 256 strengths of light, as pixels. */
const tones = new Map();
function tonesOf(color) {
  const key = color.join();
  if (!tones.has(key)) {
    if (tones.size > 2000) tones.clear();
    const part = (c, k) => Math.min(255, Math.round((color[c] * k) / 200));
    tones.set(key, Uint32Array.from({ length: 256 }, (_, k) => ((255 << 24) | (part(2, k) << 16) | (part(1, k) << 8) | part(0, k)) >>> 0));
  }
  return tones.get(key);
}

class Raster {
  constructor(camera, light) {
    Object.assign(this, { camera, light, width: 0, height: 0, seen: new Float64Array(0), triangles: 0 });
  }

  resize(width, height) {
    if (width === this.width && height === this.height) return;
    Object.assign(this, { width, height, image: new ImageData(width, height) });
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.depths = new Float32Array(width * height);
    this.parts = new Uint32Array(width * height);
    this.mask = new Uint8Array(width * height);
  }

  clear() {
    this.pixels.fill(0);
    this.parts.fill(0);
    this.nearer();
    this.triangles = 0;
    const { camera } = this;
    this.near = camera.flat ? -Infinity : Math.max(0.004 * camera.distance, 1e-3 * camera.size);
    this.focus = (this.height / camera.span) * (camera.flat ? 1 : camera.distance);
  }

  /* What comes now lies in front of all before. */
  nearer() {
    this.depths.fill(-Infinity);
  }

  /* Place in the view and light of the corners of a surface: across, upward, depth, light from the key and from above. */
  corners({ points, normals }, m) {
    const { camera, light } = this;
    const count = points.length / 3;
    if (this.seen.length < 5 * count) this.seen = new Float64Array(5 * count);
    const row = (axis) => [0, 4, 8].map((c) => axis[0] * m[c] + axis[1] * m[c + 1] + axis[2] * m[c + 2]);
    const origin = sub([m[12], m[13], m[14]], camera.target);
    const [x, y, z] = [row(camera.right), row(camera.top), row(camera.back)];
    const [x0, y0, z0] = [dot(camera.right, origin), dot(camera.top, origin), camera.distance - dot(camera.back, origin)];
    // Normals turn with the cofactors, whatever the factors of the axes.
    const axes = [0, 4, 8].map((c) => [m[c], m[c + 1], m[c + 2]]);
    const cofactors = [cross(axes[1], axes[2]), cross(axes[2], axes[0]), cross(axes[0], axes[1])];
    this.turned = dot(axes[0], cofactors[0]) < 0 ? -1 : 1;
    const [a, b, c] = cofactors.map((own) => times(own, this.turned));
    const { seen } = this;
    for (let k = 0, p = 0, o = 0; k < count; k += 1, p += 3, o += 5) {
      const px = points[p], py = points[p + 1], pz = points[p + 2];
      seen[o] = x[0] * px + x[1] * py + x[2] * pz + x0;
      seen[o + 1] = y[0] * px + y[1] * py + y[2] * pz + y0;
      seen[o + 2] = z0 - (z[0] * px + z[1] * py + z[2] * pz);
      const nx = normals[p], ny = normals[p + 1], nz = normals[p + 2];
      const ux = a[0] * nx + b[0] * ny + c[0] * nz, uy = a[1] * nx + b[1] * ny + c[1] * nz, uz = a[2] * nx + b[2] * ny + c[2] * nz;
      const size = Math.sqrt(ux * ux + uy * uy + uz * uz) || 1;
      seen[o + 3] = (ux * light[0] + uy * light[1] + uz * light[2]) / size;
      seen[o + 4] = (ux * camera.up[0] + uy * camera.up[1] + uz * camera.up[2]) / size;
    }
  }

  /* Paints a surface: `ink` is { number, tone(first corner) of a triangle, opacity, wire }, or { masked } to note only where it is. */
  surface(mesh, matrix, ink) {
    this.corners(mesh, matrix);
    const { seen, near, camera } = this, { triangles } = mesh;
    const culls = !ink.masked && !ink.wire && ink.opacity === 1 && isClosed(mesh);
    for (let k = 0; k + 2 < triangles.length; k += 3) {
      const a = 5 * triangles[k], b = 5 * triangles[k + 1], c = 5 * triangles[k + 2];
      const behind = (seen[a + 2] < near) + (seen[b + 2] < near) + (seen[c + 2] < near);
      if (behind === 3) continue;
      // The normal in the view against the way to the eye.
      const ux = seen[b] - seen[a], uy = seen[b + 1] - seen[a + 1], uz = seen[a + 2] - seen[b + 2];
      const vx = seen[c] - seen[a], vy = seen[c + 1] - seen[a + 1], vz = seen[a + 2] - seen[c + 2];
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      const facing = (camera.flat ? nz : nz * seen[a + 2] - nx * seen[a] - ny * seen[a + 1]) * this.turned;
      if (facing === 0 || (facing < 0 && culls)) continue;
      ink.side = facing < 0 ? -1 : 1;
      ink.tones = ink.masked ? null : ink.tone(triangles[k]);
      this.triangles += ink.masked ? 0 : 1;
      const corner = (at) => [seen[at], seen[at + 1], seen[at + 2], this.lightAt(at, ink.side)];
      const cut = behind ? this.cut([corner(a), corner(b), corner(c)]) : [corner(a), corner(b), corner(c)];
      const flat = cut.map((one) => this.projected(one));
      if (ink.wire) for (let j = 0; j < flat.length; j += 1) this.line(flat[j], flat[(j + 1) % flat.length], ink.tones[200], 1, ink.number);
      else for (let j = 1; j + 1 < flat.length; j += 1) this.triangle(flat[0], flat[j], flat[j + 1], ink);
    }
  }

  /* Light at a corner that is seen from a side, in steps of `tonesOf`. */
  lightAt(at, side) {
    const key = side * this.seen[at + 3];
    return 200 * (0.52 + 0.42 * (key > 0 ? key : 0) + 0.12 * side * this.seen[at + 4]);
  }

  /* Pixel, depth (the larger, the nearer; even across the picture) and light. */
  projected([x, y, depth, light]) {
    const { camera, focus } = this;
    const k = camera.flat ? focus : focus / depth;
    return [0.5 * this.width + x * k, 0.5 * this.height - y * k, camera.flat ? -depth : 1 / depth, light];
  }

  /* The part of a triangle that is not behind the eye. */
  cut(corners) {
    const out = [];
    corners.forEach((p, k) => {
      const q = corners[(k + 1) % 3], dp = p[2] - this.near, dq = q[2] - this.near;
      if (dp >= 0) out.push(p);
      if (dp * dq < 0) out.push(p.map((value, c) => value + (q[c] - value) * (dp / (dp - dq))));
    });
    return out;
  }

  triangle(a, b, c, ink) {
    const { width, height, depths, pixels, parts, mask } = this;
    const area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    if (!(area !== 0)) return;
    const top = Math.max(0, Math.ceil(Math.min(a[1], b[1], c[1]) - 0.5)), bottom = Math.min(height - 1, Math.floor(Math.max(a[1], b[1], c[1]) - 0.5));
    // Depth and light are linear in the picture.
    const slope = (n) => [((b[n] - a[n]) * (c[1] - a[1]) - (c[n] - a[n]) * (b[1] - a[1])) / area, ((c[n] - a[n]) * (b[0] - a[0]) - (b[n] - a[n]) * (c[0] - a[0])) / area];
    const [zx, zy] = slope(2), [lx, ly] = slope(3);
    const { tones: own, opacity, number, masked } = ink;
    for (let y = top; y <= bottom; y += 1) {
      const py = y + 0.5;
      let left = Infinity, right = -Infinity;
      for (let e = 0; e < 3; e += 1) {
        const p = e === 0 ? a : e === 1 ? b : c, q = e === 0 ? b : e === 1 ? c : a;
        if ((p[1] > py) === (q[1] > py)) continue;
        const x = p[0] + ((py - p[1]) / (q[1] - p[1])) * (q[0] - p[0]);
        if (x < left) left = x;
        if (x > right) right = x;
      }
      const first = Math.max(0, Math.ceil(left - 0.5)), last = Math.min(width - 1, Math.ceil(right - 0.5) - 1);
      let z = a[2] + zx * (first + 0.5 - a[0]) + zy * (py - a[1]), light = a[3] + lx * (first + 0.5 - a[0]) + ly * (py - a[1]);
      for (let at = y * width + first, end = y * width + last; at <= end; at += 1, z += zx, light += lx) {
        if (masked) mask[at] = 1;
        else if (z > depths[at]) {
          const tone = own[light < 0 ? 0 : light > 255 ? 255 : light | 0];
          if (opacity < 1) pixels[at] = over(tone, opacity, pixels[at]);
          else {
            depths[at] = z;
            pixels[at] = tone;
            parts[at] = number;
          }
        }
      }
    }
  }

  /* A line between two projected corners, of a width in pixels. */
  line(p, q, color, wide, number) {
    const { width, height, depths, pixels, parts } = this;
    const steps = Math.ceil(Math.max(Math.abs(q[0] - p[0]), Math.abs(q[1] - p[1])));
    if (!(steps < 1e5)) return;
    const half = (wide - 1) / 2;
    for (let k = 0; k <= steps; k += 1) {
      const s = steps ? k / steps : 0, x = p[0] + s * (q[0] - p[0]), y = p[1] + s * (q[1] - p[1]), z = p[2] + s * (q[2] - p[2]);
      for (let row = Math.round(y - half - 0.5); row < y + half; row += 1) {
        for (let column = Math.round(x - half - 0.5); column < x + half; column += 1) {
          const at = row * width + column;
          if (row < 0 || row >= height || column < 0 || column >= width || z < depths[at]) continue;
          pixels[at] = color;
          depths[at] = z;
          parts[at] = number;
        }
      }
    }
  }

  /* A line of some pixels around what was masked. */
  outline(color, wide) {
    const { width, height, mask, pixels } = this;
    const way = Array.from({ length: 16 }, (_, k) => [Math.round(wide * Math.cos((k * Math.PI) / 8)), Math.round(wide * Math.sin((k * Math.PI) / 8))]);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        // An edge of the mask reaches into what is beside it.
        if (!mask[y * width + x] || (mask[y * width + x - 1] && mask[y * width + x + 1] && mask[(y - 1) * width + x] && mask[(y + 1) * width + x])) continue;
        for (let reach = 1; reach <= 2; reach += 1) {
          for (const [dx, dy] of way) {
            const column = x + Math.round((dx * reach) / 2), row = y + Math.round((dy * reach) / 2), at = row * width + column;
            if (row >= 0 && row < height && column >= 0 && column < width && !mask[at]) pixels[at] = color;
          }
        }
      }
    }
    mask.fill(0);
  }
}

/* A pixel of some opacity over another. */
function over(color, opacity, below) {
  const under = ((below >>> 24) / 255) * (1 - opacity), whole = opacity + under;
  const mix = (shift) => Math.round((((color >>> shift) & 255) * opacity + ((below >>> shift) & 255) * under) / whole) << shift;
  return ((Math.round(255 * whole) << 24) | mix(16) | mix(8) | mix(0)) >>> 0;
}

const rgb = (text) => [0, 1, 2].map((c) => parseInt(text.slice(1 + 2 * c, 3 + 2 * c), 16));
