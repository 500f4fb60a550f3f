/* Poses between frames: positions and modal coordinates on straight lines, rotations by slerp. */

class Motion {
  constructor(run) {
    const { frames, bodies } = run.text;
    this.times = run.numbers(frames?.times) ?? new Float64Array([0]);
    if (!this.times.length) this.times = new Float64Array([0]);
    this.bodies = bodies.map((_, k) => {
      const film = frames?.bodies[k];
      return film && { position: run.numbers(film.position), rotation: run.fractions(film.rotation), modal: run.numbers(film.modal) };
    });
    this.bodies.forEach((film) => {
      if (film?.modal) film.modes = Math.round(film.modal.length / this.times.length);
    });
    this.matrices = bodies.map(() => compose([0, 0, 0], [1, 0, 0, 0], [1, 1, 1], new Float64Array(16)));
    this.modal = this.bodies.map((film) => new Float64Array(film?.modal ? film.modes : 0));
    this.frame = 0;
    this.part = 0;
    this.go(this.start);
  }

  get start() { return this.times[0]; }
  get end() { return this.times[this.times.length - 1]; }

  /* Frame and fraction of a time. */
  find(t) {
    const last = this.times.length - 1;
    if (last === 0 || !(t > this.start)) return [0, 0];
    if (t >= this.end) return [last - 1, 1];
    const k = Math.min(lastNotAbove(this.times, t, this.frame), last - 1);
    return [k, (t - this.times[k]) / (this.times[k + 1] - this.times[k] || 1)];
  }

  /* Position and rotation of a body at frame k and fraction s, into the arrays given. */
  pose(body, k, s, position, rotation) {
    const film = this.bodies[body];
    const next = s > 0 ? k + 1 : k;
    for (let c = 0; c < 3; c += 1) {
      const from = film.position[3 * k + c];
      position[c] = from + s * (film.position[3 * next + c] - from);
    }
    slerp(film.rotation, 4 * k, film.rotation, 4 * next, s, rotation);
  }

  /* All matrices and modal coordinates at time t. */
  go(t) {
    const [k, s] = this.find(t);
    const position = [0, 0, 0], rotation = [1, 0, 0, 0], whole = [1, 1, 1];
    this.time = t;
    this.frame = k;
    this.part = s;
    const next = s > 0 ? k + 1 : k;
    for (let body = 0; body < this.bodies.length; body += 1) {
      const film = this.bodies[body];
      if (!film) continue;
      this.pose(body, k, s, position, rotation);
      compose(position, rotation, whole, this.matrices[body]);
      for (let m = 0; m < this.modal[body].length; m += 1) {
        const from = film.modal[film.modes * k + m];
        this.modal[body][m] = from + s * (film.modal[film.modes * next + m] - from);
      }
    }
  }

  /* A vector of three per frame, at the present time. */
  vector(array) {
    const k = this.frame, next = this.part > 0 ? k + 1 : k;
    return [0, 1, 2].map((c) => array[3 * k + c] + this.part * (array[3 * next + c] - array[3 * k + c]));
  }

  /* A point of a body, deformed, times a factor of the deformation. */
  local(point, factor) {
    if (!point.modes?.length) return point.position;
    const q = this.modal[point.body];
    const out = [...point.position];
    for (let m = 0; m < q.length; m += 1) for (let c = 0; c < 3; c += 1) out[c] += factor * q[m] * (point.modes[m]?.[c] ?? 0);
    return out;
  }

  point(point, factor) {
    return place(this.matrices[point.body], this.local(point, factor));
  }

  /* Velocity and angular velocity of a body's axes in ground, by differences over the frames at hand. */
  velocity(body) {
    const last = this.times.length - 1;
    if (!this.bodies[body] || last < 1) return { linear: [0, 0, 0], angular: [0, 0, 0] };
    const inside = this.part > 0 && this.part < 1;
    const at = this.frame + (this.part === 1 ? 1 : 0);
    const from = inside ? this.frame : Math.max(0, at - 1), to = inside ? this.frame + 1 : Math.min(last, at + 1);
    const [p, q] = [[0, 0, 0], [0, 0, 0]], [a, b] = [[1, 0, 0, 0], [1, 0, 0, 0]];
    this.pose(body, from, 0, p, a);
    this.pose(body, to, 0, q, b);
    const step = this.times[to] - this.times[from] || 1;
    let [w, ...axis] = multiplied(b, [a[0], -a[1], -a[2], -a[3]]);
    if (w < 0) [w, axis] = [-w, times(axis, -1)];
    const sine = norm(axis);
    const angle = 2 * Math.atan2(sine, w);
    return { linear: times(sub(q, p), 1 / step), angular: times(axis, sine > 0 ? angle / sine / step : 0) };
  }

  /* The way of a point in ground over the run: at most `most` points, with their times. */
  way(point, most = 3000) {
    const last = this.times.length - 1;
    const pieces = clamp(Math.floor(most / Math.max(1, last)), 1, 6), stride = Math.max(1, Math.ceil(last / most));
    const here = this.time;
    const way = { points: [], times: [] };
    for (let k = 0; k <= last * pieces; k += stride) {
      const frame = Math.floor(k / pieces), part = (k % pieces) / pieces;
      const t = this.times[frame] + (part && part * (this.times[frame + 1] - this.times[frame]));
      this.go(t);
      way.points.push(...this.point(point, 1));
      way.times.push(t);
    }
    this.go(here);
    return way;
  }
}
