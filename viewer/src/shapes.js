/* Surfaces that the page makes itself: for links, arrows and joints. Their axis is z. */

/* A surface of revolution: a profile of [radius, z, radial part of the normal, axial part]. */
function revolved(profile, sides = 20) {
  const points = [], normals = [], triangles = [];
  for (const [r, z, nr, nz] of profile) {
    for (let k = 0; k <= sides; k += 1) {
      const angle = (2 * Math.PI * k) / sides;
      points.push(r * Math.cos(angle), r * Math.sin(angle), z);
      normals.push(nr * Math.cos(angle), nr * Math.sin(angle), nz);
    }
  }
  for (let row = 0; row + 1 < profile.length; row += 1) {
    for (let k = 0; k < sides; k += 1) {
      const a = row * (sides + 1) + k, b = a + sides + 1;
      triangles.push(a, a + 1, b + 1, a, b + 1, b);
    }
  }
  return { points: new Float32Array(points), normals: new Float32Array(normals), triangles: new Uint32Array(triangles) };
}

/* Radius 1, from z = 0 to 1. */
const cylinder = (sides) =>
  revolved([[0, 0, 0, -1], [1, 0, 0, -1], [1, 0, 1, 0], [1, 1, 1, 0], [1, 1, 0, 1], [0, 1, 0, 1]], sides);
const cone = (sides) => revolved([[0, 0, 0, -1], [1, 0, 0, -1], [1, 0, 0.9, 0.44], [0, 1, 0.9, 0.44]], sides);

function sphere(sides = 20) {
  const profile = [];
  for (let k = 0; k <= sides / 2; k += 1) {
    const angle = (2 * Math.PI * k) / sides;
    profile.push([Math.sin(angle), -Math.cos(angle), Math.sin(angle), -Math.cos(angle)]);
  }
  return revolved(profile, sides);
}

/* A ring of outer radius 1 with a hole, from z = −0.5 to 0.5. */
function ring(hole, sides = 24) {
  return revolved([[hole, 0.5, -1, 0], [hole, -0.5, -1, 0], [hole, -0.5, 0, -1], [1, -0.5, 0, -1], [1, -0.5, 1, 0], [1, 0.5, 1, 0],
    [1, 0.5, 0, 1], [hole, 0.5, 0, 1]], sides);
}

/* A cube from −1 to 1. */
function cube() {
  const points = [], normals = [], triangles = [];
  for (let axis = 0; axis < 3; axis += 1) {
    for (const side of [-1, 1]) {
      const at = points.length / 3;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const p = [0, 0, 0], n = [0, 0, 0];
        p[axis] = side;
        n[axis] = side;
        p[(axis + 1) % 3] = u * side;
        p[(axis + 2) % 3] = v;
        points.push(...p);
        normals.push(...n);
      }
      triangles.push(at, at + 1, at + 2, at, at + 2, at + 3);
    }
  }
  return { points: new Float32Array(points), normals: new Float32Array(normals), triangles: new Uint32Array(triangles) };
}

/* A coil of radius r from z = 0 to 1, for a spring of length `rest`: the wire is round when the spring has that length. */
function coil(r, rest, around = 16) {
  const wire = 0.14 * r, sides = around > 10 ? 7 : 5;
  const turns = clamp(Math.round(rest / (1.1 * r)), 4, 12);
  const steps = turns * around;
  const points = [], normals = [], triangles = [];
  for (let k = 0; k <= steps; k += 1) {
    const s = k / steps, angle = 2 * Math.PI * turns * s;
    // The first and the last turn lie close, as in a ground spring.
    const height = wire + (rest - 2 * wire) * clamp((s - 0.5 / turns) / (1 - 1 / turns), 0, 1);
    const [c, sn] = [Math.cos(angle), Math.sin(angle)];
    for (let j = 0; j <= sides; j += 1) {
      const angleOfWire = (2 * Math.PI * j) / sides;
      const out = Math.cos(angleOfWire), up = Math.sin(angleOfWire);
      points.push((r + wire * out) * c, (r + wire * out) * sn, (height + wire * up) / rest);
      // The matrix that stretches the coil turns normals by its inverse, so they are given for the unit height.
      const n = [out * c, out * sn, up * rest];
      const size = norm(n);
      normals.push(n[0] / size, n[1] / size, n[2] / size);
    }
  }
  for (let k = 0; k < steps; k += 1) {
    for (let j = 0; j < sides; j += 1) {
      const a = k * (sides + 1) + j, b = a + sides + 1;
      triangles.push(a, b, b + 1, a, b + 1, a + 1);
    }
  }
  return { points: new Float32Array(points), normals: new Float32Array(normals), triangles: new Uint32Array(triangles) };
}

/* The matrix that puts the axis of a shape from p to p + length · direction, with a radius, into `out`. */
function along(p, direction, length, radius, out) {
  const [x, y] = square(direction);
  for (let c = 0; c < 3; c += 1) {
    out[c] = x[c] * radius;
    out[4 + c] = y[c] * radius;
    out[8 + c] = direction[c] * length;
    out[12 + c] = p[c];
    out[4 * c + 3] = 0;
  }
  out[15] = 1;
  return out;
}

/* The surface with normals made anew from its triangles, weighted by area. */
function normalsOf(points, triangles, out) {
  out.fill(0);
  for (let k = 0; k < triangles.length; k += 3) {
    const [i, j, l] = [3 * triangles[k], 3 * triangles[k + 1], 3 * triangles[k + 2]];
    const ux = points[j] - points[i], uy = points[j + 1] - points[i + 1], uz = points[j + 2] - points[i + 2];
    const vx = points[l] - points[i], vy = points[l + 1] - points[i + 1], vz = points[l + 2] - points[i + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    for (const at of [i, j, l]) {
      out[at] += nx;
      out[at + 1] += ny;
      out[at + 2] += nz;
    }
  }
  return out;
}

/* The mesh for a factor below zero: mirrored triangles are seen from inside unless their corners change order. */
function turnedOver(mesh) {
  mesh.over ??= { ...mesh, triangles: mesh.triangles.map((_, k, all) => all[k % 3 === 1 ? k + 1 : k % 3 === 2 ? k - 1 : k]) };
  return mesh.over;
}

/* Sphere and box around a mesh, kept with it. */
function ball(mesh) {
  if (mesh.ball) return mesh.ball;
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < mesh.points.length; k += 1) {
    low[k % 3] = Math.min(low[k % 3], mesh.points[k]);
    high[k % 3] = Math.max(high[k % 3], mesh.points[k]);
  }
  if (!mesh.points.length) low.fill(0), high.fill(0);
  mesh.box = [low, high];
  mesh.ball = { center: times(add(low, high), 0.5), radius: 0.5 * norm(sub(high, low)) };
  return mesh.ball;
}

/* Distance along a ray to a surface, 0 if they do not meet. Möller and Trumbore's test of a ray and a triangle. */
function meets(mesh, points, matrix, origin, direction, triangles = mesh.triangles) {
  const back = inverse(matrix);
  if (!back) return 0;
  const o = place(back, origin), d = turn(back, direction);
  if (mesh) {
    const { center, radius } = ball(mesh);
    const to = sub(center, o);
    if (norm(cross(to, d)) > radius * norm(d)) return 0;
  }
  let best = Infinity;
  for (let k = 0; k < triangles.length; k += 3) {
    const i = 3 * triangles[k], j = 3 * triangles[k + 1], l = 3 * triangles[k + 2];
    const ux = points[j] - points[i], uy = points[j + 1] - points[i + 1], uz = points[j + 2] - points[i + 2];
    const vx = points[l] - points[i], vy = points[l + 1] - points[i + 1], vz = points[l + 2] - points[i + 2];
    const px = d[1] * vz - d[2] * vy, py = d[2] * vx - d[0] * vz, pz = d[0] * vy - d[1] * vx;
    const det = ux * px + uy * py + uz * pz;
    if (det === 0) continue;
    const tx = o[0] - points[i], ty = o[1] - points[i + 1], tz = o[2] - points[i + 2];
    const a = (tx * px + ty * py + tz * pz) / det;
    if (a < 0 || a > 1) continue;
    const qx = ty * uz - tz * uy, qy = tz * ux - tx * uz, qz = tx * uy - ty * ux;
    const b = (d[0] * qx + d[1] * qy + d[2] * qz) / det;
    if (b < 0 || a + b > 1) continue;
    const t = (vx * qx + vy * qy + vz * qz) / det;
    if (t > 1e-9 && t < best) best = t;
  }
  return Number.isFinite(best) ? best : 0;
}
