/* The ellipsoids and boxes of uniform density that have mass and inertia of the bodies. */

/* Half lengths of a body of uniform density with this mass and inertia (xx yy zz xy xz yz), and the rotation to its axes: with moments
 * m (b^2 + c^2)/5 of an ellipsoid, a^2 = 5 (I2 + I3 - I1)/2m; with m (b^2 + c^2)/3 of a box, a^2 = 3 (I2 + I3 - I1)/2m. */
function halfAxes([xx, yy, zz, xy, xz, yz], mass, share) {
  // Products as in a model: xy is the integral of x y.
  const { moments, axes } = principal([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]]);
  const sum = moments[0] + moments[1] + moments[2];
  const lengths = moments.map((moment) => Math.sqrt(Math.max(0, (share * (sum - 2 * moment)) / mass)));
  const most = Math.max(...lengths);
  if (!(most > 0 && most < Infinity)) return null;
  const [[a, b, c], [d, e, f], [g, h, i]] = axes;
  // A slender rod is seen.
  return { lengths: lengths.map((x) => Math.max(x, 0.02 * most)), rotation: rotationOf([a, d, g, 0, b, e, h, 0, c, f, i, 0, 0, 0, 0, 1]) };
}

/* Principal moments of a symmetric tensor, and their axes as columns of a rotation: Jacobi's rotations. */
function principal(tensor) {
  const a = tensor.map((row) => [...row]), axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let k = 0; k < 36; k += 1) {
    const [p, q] = [[0, 1], [0, 2], [1, 2]][k % 3];
    if (a[p][q] === 0) continue;
    const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1)), c = 1 / Math.hypot(t, 1), s = t * c;
    for (const m of [a, axes]) for (const row of m) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
    for (let j = 0; j < 3; j += 1) [a[p][j], a[q][j]] = [c * a[p][j] - s * a[q][j], s * a[p][j] + c * a[q][j]];
  }
  return { moments: [a[0][0], a[1][1], a[2][2]], axes };
}
