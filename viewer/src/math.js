/* Vectors are arrays of 3, quaternions are w x y z, matrices are 16 numbers by columns. */

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

function unit(a) {
  const n = norm(a);
  return n > 0 ? times(a, 1 / n) : [0, 0, 1];
}

/* Two unit vectors square to a unit vector n; (first, second, n) is right-handed. */
function square(n) {
  const start = Math.abs(n[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const first = unit(sub(start, times(n, dot(start, n))));
  return [first, cross(n, first)];
}

/* Spherical interpolation on the shorter way, into `out`. */
function slerp(a, i, b, j, s, out) {
  let c = a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2] + a[i + 3] * b[j + 3];
  const sign = c < 0 ? -1 : 1;
  c = Math.min(1, Math.abs(c));
  const angle = Math.acos(c);
  const sine = Math.sin(angle);
  const u = sine < 1e-6 ? 1 - s : Math.sin((1 - s) * angle) / sine;
  const v = sign * (sine < 1e-6 ? s : Math.sin(s * angle) / sine);
  for (let k = 0; k < 4; k += 1) out[k] = u * a[i + k] + v * b[j + k];
  const n = Math.hypot(out[0], out[1], out[2], out[3]) || 1;
  for (let k = 0; k < 4; k += 1) out[k] /= n;
}

function multiplied(p, q) {
  return [
    p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
    p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
    p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
    p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
  ];
}

/* The matrix of a position, a unit quaternion and factors along the axes, into `out`. */
function compose(position, q, scale, out) {
  const [w, x, y, z] = q;
  const [sx, sy, sz] = scale;
  out[0] = (1 - 2 * (y * y + z * z)) * sx; out[1] = 2 * (x * y + w * z) * sx; out[2] = 2 * (x * z - w * y) * sx; out[3] = 0;
  out[4] = 2 * (x * y - w * z) * sy; out[5] = (1 - 2 * (x * x + z * z)) * sy; out[6] = 2 * (y * z + w * x) * sy; out[7] = 0;
  out[8] = 2 * (x * z + w * y) * sz; out[9] = 2 * (y * z - w * x) * sz; out[10] = (1 - 2 * (x * x + y * y)) * sz; out[11] = 0;
  out[12] = position[0]; out[13] = position[1]; out[14] = position[2]; out[15] = 1;
  return out;
}

/* a · b of two matrices whose last row is 0 0 0 1, into `out`. */
function product(a, b, out) {
  for (let c = 0; c < 4; c += 1) {
    const x = b[4 * c], y = b[4 * c + 1], z = b[4 * c + 2], w = c === 3 ? 1 : 0;
    out[4 * c] = a[0] * x + a[4] * y + a[8] * z + a[12] * w;
    out[4 * c + 1] = a[1] * x + a[5] * y + a[9] * z + a[13] * w;
    out[4 * c + 2] = a[2] * x + a[6] * y + a[10] * z + a[14] * w;
    out[4 * c + 3] = w;
  }
  return out;
}

/* The inverse of a matrix whose last row is 0 0 0 1; null if it has none. */
function inverse(m) {
  const a = [m[0], m[1], m[2]], b = [m[4], m[5], m[6]], c = [m[8], m[9], m[10]], p = [m[12], m[13], m[14]];
  const bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
  const det = dot(a, bc);
  if (!(Math.abs(det) > 1e-300)) return null;
  const [r0, r1, r2] = [times(bc, 1 / det), times(ca, 1 / det), times(ab, 1 / det)];
  return [r0[0], r1[0], r2[0], 0, r0[1], r1[1], r2[1], 0, r0[2], r1[2], r2[2], 0, -dot(r0, p), -dot(r1, p), -dot(r2, p), 1];
}

const place = (m, p) => [
  m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12],
  m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13],
  m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14],
];
const turn = (m, p) => [
  m[0] * p[0] + m[4] * p[1] + m[8] * p[2],
  m[1] * p[0] + m[5] * p[1] + m[9] * p[2],
  m[2] * p[0] + m[6] * p[1] + m[10] * p[2],
];

/* The unit quaternion of the rotation in a matrix, whatever the factors of its axes. */
function rotationOf(m) {
  const x = unit([m[0], m[1], m[2]]), y = unit([m[4], m[5], m[6]]), z = cross(x, y);
  const trace = x[0] + y[1] + z[2];
  let q;
  if (trace > 0) q = [1 + trace, y[2] - z[1], z[0] - x[2], x[1] - y[0]];
  else if (x[0] >= y[1] && x[0] >= z[2]) q = [y[2] - z[1], 1 + x[0] - y[1] - z[2], y[0] + x[1], z[0] + x[2]];
  else if (y[1] >= z[2]) q = [z[0] - x[2], y[0] + x[1], 1 + y[1] - x[0] - z[2], z[1] + y[2]];
  else q = [x[1] - y[0], z[0] + x[2], z[1] + y[2], 1 + z[2] - x[0] - y[1]];
  const n = Math.hypot(...q) * (q[0] < 0 ? -1 : 1);
  return q.map((value) => value / n);
}

/* Angles about the axes x, y, z in turn (roll, pitch, yaw) [degrees]: R = Rz(yaw) Ry(pitch) Rx(roll). Of the two triples that give R,
 * that with less roll and yaw: a turn about y alone stays one beyond 90 degrees. */
function rollPitchYaw([w, x, y, z]) {
  const degrees = 180 / Math.PI;
  const [roll, pitch, yaw] = [
    degrees * Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    degrees * Math.asin(clamp(2 * (w * y - z * x), -1, 1)),
    degrees * Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
  const half = (angle) => (angle > 0 ? angle - 180 : angle + 180);
  const other = [half(roll), (pitch < 0 ? -180 : 180) - pitch, half(yaw)];
  return Math.abs(roll) + Math.abs(yaw) <= Math.abs(other[0]) + Math.abs(other[2]) + 1e-6 ? [roll, pitch, yaw] : other;
}

/* The last place of a sorted array whose value is not above x; 0 where there is none. `hint` is tried first. */
function lastNotAbove(sorted, x, hint = 0) {
  const n = sorted.length;
  for (let k = Math.max(0, hint); k < Math.min(n, hint + 2); k += 1) {
    if (sorted[k] <= x && (k + 1 >= n || sorted[k + 1] > x)) return k;
  }
  let low = 0, high = n - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

/* 1, 2 or 5 times a power of ten: the largest that is not above x. */
function roundStep(x) {
  if (!(x > 0) || !Number.isFinite(x)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  const first = x / power;
  return power * (first >= 5 ? 5 : first >= 2 ? 2 : 1);
}

/* A number as people read it: six digits at most. */
function readable(x, digits = 5) {
  if (x === null || x === undefined) return "–";
  if (!Number.isFinite(x)) return String(x);
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) return x.toExponential(Math.max(0, digits - 1)).replace(/\.?0+e/, "e").replace("e+", "e").replace("-", "−").replace("e-", "e−");
  return String(Number(x.toPrecision(digits))).replace("-", "−");
}
