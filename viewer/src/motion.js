/* Poses between frames: positions on the cubic of both ends with their velocities, modal coordinates on straight lines, rotations by slerp. Of a page of shapes there is one frame,
 * and the chosen shape moves it. */

/* Frames of all bodies: times, and for each body its positions, rotations and modal coordinates; null for what stays. */
function filmOf(run, frames) {
  let own = run.numbers(frames?.times) ?? new Float64Array([0]);
  if (!own.length) own = new Float64Array([0]);
  const bodies = (frames?.bodies ?? []).map((film) => {
    if (!film) return null;
    const read = { position: run.numbers(film.position), rotation: run.numbers(film.rotation), modal: run.numbers(film.modal), modes: 0,
      velocity: run.numbers(film.velocity), turning: run.numbers(film.turning) };
    if (read.modal) read.modes = Math.round(read.modal.length / own.length);
    return read;
  });
  return { times: own, bodies };
}

class Motion {
  constructor(run) {
    const { frames, bodies } = run.text;
    const { times: own, bodies: films } = filmOf(run, frames);
    this.times = own;
    this.bodies = bodies.map((_, k) => films[k] ?? null);
    this.shapes = (run.text.shapes ?? []).map((shape, index) => ({ ...shape, index, film: shape.film && filmOf(run, shape.film) }));
    Object.assign(this, { shape: null, amplitude: 0.3, factor: 0 });
    this.matrices = bodies.map(() => compose([0, 0, 0], [1, 0, 0, 0], [1, 1, 1], new Float64Array(16)));
    this.modal = this.bodies.map((film) => new Float64Array(film?.modal ? film.modes : 0));
    // What colours of displacement and stress are taken from: modal coordinates, and a displacement as a whole, in the body's axes.
    this.fields = this.modal.map((q) => ({ q, shift: [0, 0, 0], turn: [0, 0, 0] }));
    this.frame = 0;
    this.part = 0;
    this.go(this.start);
    this.rest = this.matrices.map((matrix) => Float64Array.from(matrix));
    this.restModal = this.modal.map((q) => Float64Array.from(q));
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
  pose(body, k, s, position, rotation, film = this.bodies[body]) {
    const next = s > 0 ? k + 1 : k;
    const { velocity, turning } = film;
    const step = this.times[next] - this.times[k];
    // Where it turns far between frames, velocities tell nothing of the way.
    const curved = velocity && s > 0 && step * Math.hypot(turning[3 * k], turning[3 * k + 1], turning[3 * k + 2]) < 1.5;
    const early = s * (1 - s) * (1 - s) * step, late = s * s * (s - 1) * step, ease = s * s * (3 - 2 * s);
    for (let c = 0; c < 3; c += 1) {
      const from = film.position[3 * k + c], way = film.position[3 * next + c] - from;
      position[c] = curved ? from + ease * way + early * velocity[3 * k + c] + late * velocity[3 * next + c] : from + s * way;
    }
    slerp(film.rotation, 4 * k, film.rotation, 4 * next, s, rotation);
  }

  /* All matrices and modal coordinates at time t; of a shape, at a phase in turns. */
  go(t) {
    this.time = t;
    const shape = this.shapes[this.shape];
    if (shape?.small) return this.goSmall(shape, 2 * Math.PI * t);
    if (shape?.film) return this.goFilm(shape.film, this.amplitude * Math.sin(2 * Math.PI * t));
    const [k, s] = this.find(t);
    this.frame = k;
    this.part = s;
    this.show(this.bodies, k, s);
  }

  show(films, k, s) {
    const position = [0, 0, 0], rotation = [1, 0, 0, 0], whole = [1, 1, 1];
    const next = s > 0 ? k + 1 : k;
    for (let body = 0; body < this.bodies.length; body += 1) {
      const film = films[body];
      if (!film) continue;
      this.pose(body, k, s, position, rotation, film);
      compose(position, rotation, whole, this.matrices[body]);
      for (let m = 0; m < this.modal[body].length; m += 1) {
        const from = film.modal[film.modes * k + m];
        this.modal[body][m] = from + s * (film.modal[film.modes * next + m] - from);
      }
    }
  }

  /* A film over a share from −1 to 1, or as far as it goes. */
  goFilm({ times: shares, bodies }, share) {
    const last = shares.length - 1;
    if (last === 0) return this.show(bodies, 0, 0);
    const at = clamp(share, shares[0], shares[last]);
    const k = Math.min(lastNotAbove(shares, at), last - 1);
    return this.show(bodies, k, (at - shares[k]) / (shares[k + 1] - shares[k] || 1));
  }

  /* Re((a + i b) exp(i angle)) of each body, as a screw about where it rests: a body that turns about a pin stays on it. */
  goSmall(shape, angle) {
    const c = this.factor * Math.cos(angle), s = this.factor * Math.sin(angle);
    for (let body = 0; body < this.bodies.length; body += 1) {
      this.matrices[body].set(this.rest[body]);
      this.modal[body].set(this.restModal[body]);
      this.fields[body] = { q: new Float64Array(this.modal[body].length), shift: [0, 0, 0], turn: [0, 0, 0] };
    }
    for (const [body, real, imaginary] of shape.small) {
      const at = (k) => c * real[k] - (imaginary ? s * imaginary[k] : 0);
      const [moves, turns] = [[at(0), at(1), at(2)], [at(3), at(4), at(5)]];
      const rest = this.rest[body], matrix = this.matrices[body], size = norm(turns);
      const axis = size > 0 ? times(turns, 1 / size) : [0, 0, 1], half = 0.5 * size;
      const turned = compose([0, 0, 0], [Math.cos(half), ...times(axis, Math.sin(half))], [1, 1, 1], new Float64Array(16));
      product(turned, rest, matrix);
      // The way of a screw: t + (1 − cos φ)/φ² r×t + (φ − sin φ)/φ³ r×(r×t).
      const once = cross(turns, moves), twice = cross(turns, once), small = size < 1e-4;
      const [f, g] = small ? [0.5, 1 / 6] : [(1 - Math.cos(size)) / size ** 2, (size - Math.sin(size)) / size ** 3];
      for (let k = 0; k < 3; k += 1) matrix[12 + k] = rest[12 + k] + moves[k] + f * once[k] + g * twice[k];
      for (let m = 0; m < this.modal[body].length; m += 1) this.modal[body][m] += at(6 + m);
      // Colours stand for the largest displacement, where all is in phase.
      const full = (k) => (imaginary ? at(k) : this.factor * real[k]);
      const local = (first) => { const v = [full(first), full(first + 1), full(first + 2)]; return [0, 4, 8].map((k) => rest[k] * v[0] + rest[k + 1] * v[1] + rest[k + 2] * v[2]); };
      this.fields[body] = { q: this.fields[body].q.map((_, m) => full(6 + m)), shift: local(0), turn: local(3) };
    }
  }

  /* Chooses a shape; null: none, all rests. */
  choose(index) {
    this.shape = index;
    this.matrices.forEach((matrix, body) => matrix.set(this.rest[body]));
    this.modal.forEach((q, body) => q.set(this.restModal[body]));
    this.fields = this.modal.map((q) => ({ q, shift: [0, 0, 0], turn: [0, 0, 0] }));
  }

  /* Is the present time between frames, so that vectors are what lies between those of the frames? */
  get between() {
    return this.part > 1e-6 && this.part < 1 - 1e-6;
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

  /* The length of a line through points of bodies. */
  length(points) {
    const ends = points.map((point) => this.point(point, 1));
    return ends.slice(1).reduce((sum, end, k) => sum + norm(sub(end, ends[k])), 0);
  }

  /* Velocity of the origin of a body's axes and its angular velocity, in ground; null where they are not known. */
  velocity(body) {
    const film = this.bodies[body];
    return film?.velocity ? { linear: this.vector(film.velocity), angular: this.vector(film.turning) } : null;
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
