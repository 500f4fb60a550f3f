/* What is drawn, for the 3-D and the 2-D view alike: a list of parts, each a surface with a matrix in ground, and items
 * (bodies, links, joints, arrows) that own parts and that the tree shows and hides. */

const SHOWN = "shown", CLEAR = "clear", HIDDEN = "hidden";
const COLORS = { spring: "#98a4b0", damper: "#55636f", rod: "#b9c3cc", rope: "#8d7a5b", line: "#7d8a97", joint: "#66727e",
  force: "#e08a00", torque: "#7a5fc4", reaction: "#0f9373", inertia: "#d8c77a", ghost: "#8a98a5", axes: ["#c4481a", "#00875f", "#0b69b7"] };
/* Triangles of solids beyond which the place where they rest is not drawn too. */
const MOST_GHOSTS = 60000;

/* What messages call entities, and the items that show them. */
const KINDS_OF_ITEMS = [[["part", "parts", "body", "bodies", "point mass", "flexible body"], ["body"]], [["joint", "joints"], ["joint"]], [["marker", "markers"], ["marker"]],
  [["force", "forces", "tyre", "contact", "bushing", "tendon", "spring", "torque", "beam", "drive"], ["link", "arrow"]]];

/* The findings of the check, each with the item that it is about, if that is drawn; items know the gravest finding about them. */
function findingsOf(run, parts) {
  const graves = ["note", "warning", "error"];
  return (run.text.warnings ?? []).map((finding) => {
    const named = (text) => Array.from((text ?? "").matchAll(/([A-Za-z ]+?)s? "([^"]+)"/g), ([, kind, name]) => parts.find(kind.trim().toLowerCase(), name)).filter(Boolean);
    const grade = finding.grade ?? "warning";
    // Where it says itself what it is about, other names are only what it has to do with.
    const own = named(finding.place), items = own.length ? own : named(finding.text);
    for (const item of items) if (graves.indexOf(grade) > graves.indexOf(item.grade)) item.grade = grade;
    // What the run says, in the words of its log.
    const place = /^logStatus/.test(finding.place ?? "") ? "said by the run" : finding.place;
    return { ...finding, place, grade, item: items[0] ?? null, items };
  });
}

class Parts {
  constructor(run, motion) {
    Object.assign(this, { run, motion, list: [], items: [], softs: [], traces: [], deformation: 1, coloring: "none" });
    this.size = run.text.size > 0 ? run.text.size : 1;
    this.up = unit(run.text.up ?? [0, 0, 1]);
    // Of what is below it nothing is drawn.
    this.floor = run.text.floor ?? null;
    this.shows = { force: (run.text.kind ?? "run") === "run", torque: false, reaction: false, joint: true, link: true, marker: Boolean(run.text.marked), ghost: true, inertia: "none" };
    this.scales = { force: 1, torque: 1, marker: 1 };
    this.meshes = { cylinder: cylinder(20), thin: cylinder(8), cone: cone(16), sphere: sphere(20), cube: cube(), ring: ring(0.55) };
    this.addBodies();
    this.addLinks();
    this.addJoints();
    this.addArrows();
    this.addMarkers();
    this.addGhosts();
    this.addInertia();
    for (const part of this.list) part.owner = this.ownerOf(part);
    this.findings = findingsOf(run, this);
    for (const item of this.arrows) item.largest = largestOf(item.numbers);
    const largest = Object.fromEntries(["force", "torque"].map((kind) => [kind, Math.max(0, ...this.arrows.filter(({ arrow }) => arrow.kind === kind).map((item) => item.largest))]));
    // What is smaller is rounding.
    this.least = { force: 1e-9 * largest.force, torque: 1e-9 * Math.max(largest.torque, largest.force * this.size) };
    this.most = { force: this.usual("force"), torque: this.usual("torque") };
    this.update();
  }

  item(kind, index, name, more) {
    const item = { kind, index, name: name || `${kind} ${index + 1}`, state: SHOWN, parts: [], ...more };
    this.items.push(item);
    return item;
  }

  part(item, mesh, color, more) {
    const part = { item, mesh, color, body: -1, opacity: 1, origin: "", local: null, matrix: new Float64Array(16), visible: true, ...more };
    part.matrix[15] = 1;
    part.number = this.list.push(part) - 1;
    item.parts.push(part);
    return part;
  }

  addBodies() {
    this.bodies = this.run.text.bodies.map((body, index) => {
      const item = this.item("body", index, body.name, { body });
      for (const solid of body.solids ?? []) {
        // A factor of zero would leave no normals.
        const scale = (solid.scale ?? [1, 1, 1]).map((x) => (Math.abs(x) < 1e-5 * this.size ? 1e-5 * this.size : x));
        const local = compose(solid.position, solid.rotation, scale, new Float64Array(16));
        const { origin, name } = solid;
        const mesh = this.run.mesh(solid.mesh);
        this.part(item, scale[0] * scale[1] * scale[2] < 0 ? turnedOver(mesh) : mesh, solid.color ?? body.color, { body: index, local, origin, name, opacity: solid.opacity ?? 1 });
      }
      if (body.soft) this.softs.push(new Soft(this, item, index, body));
      return item;
    });
  }

  addLinks() {
    const { cylinder: tube, thin } = this.meshes;
    const coils = (this.run.text.links ?? []).filter(({ kind }) => kind === "spring" || kind === "strut").length;
    // All coils together stay below some 30 000 triangles.
    const around = coils > 12 ? (coils > 40 ? 7 : 10) : 16;
    this.links = (this.run.text.links ?? []).map((link, index) => {
      const item = this.item("link", index, link.name, { link });
      const ends = link.points.map((point) => this.motion.point(point, 1));
      const rest = Math.max(norm(sub(ends[1], ends[0])), 1e-9);
      const radius = link.radius > 0 ? link.radius : 0.02 * this.size;
      const { kind } = link;
      const add = (mesh, color, role) => this.part(item, mesh, color, { role, radius, rest });
      if (kind === "spring" || kind === "strut") add(coil(radius, rest, around), COLORS.spring, "coil");
      if (kind === "damper" || kind === "strut") {
        const thick = kind === "strut" ? 0.55 * radius : radius;
        Object.assign(add(tube, COLORS.damper, "tube"), { radius: thick });
        Object.assign(add(tube, COLORS.rod, "rod"), { radius: 0.45 * thick });
      }
      if (kind === "rope") {
        for (let k = 0; k + 1 < link.points.length; k += 1) add(thin, COLORS.rope, k);
        for (let k = 1; k + 1 < link.points.length; k += 1) add(this.meshes.sphere, COLORS.rope, `knot${k}`);
      }
      if (kind === "line") for (let k = 0; k < 7; k += 1) Object.assign(add(thin, COLORS.line, `dash${k}`), { radius: 0.35 * radius });
      return item;
    });
  }

  /* Small signs of joints, unless the data draws joints as solids itself. */
  addJoints() {
    const drawn = this.list.some((part) => part.origin === "joint");
    const s = 0.018 * this.size;
    const signs = { revolute: [["ring", [1.5, 1.5, 1.2]]], cylindrical: [["cylinder", [0.8, 0.8, 4]]], translational: [["cube", [0.8, 0.8, 1.8]]],
      spherical: [["sphere", [1.1, 1.1, 1.1]]], fixed: [["cube", [0.8, 0.8, 0.8]]], planar: [["cube", [1.6, 1.6, 0.15]]] };
    signs.prismatic = signs.translational;
    signs.universal = [["cylinder", [0.4, 0.4, 3]], ["cylinder", [0.4, 0.4, 3], [Math.SQRT1_2, 0, Math.SQRT1_2, 0]]];
    this.joints = (this.run.text.joints ?? []).map((joint, index) => {
      const item = this.item("joint", index, joint.name, { joint });
      const { body, position, rotation } = joint.i;
      for (const [mesh, scale, turned] of drawn ? [] : signs[joint.kind] ?? signs.spherical) {
        const q = turned ? multiplied(rotation, turned) : rotation;
        const local = compose(position, q, times(scale, s), new Float64Array(16));
        if (mesh === "cylinder") for (let c = 0; c < 3; c += 1) local[12 + c] -= 0.5 * local[8 + c];
        this.part(item, this.meshes[mesh], COLORS.joint, { body, local, origin: "joint" });
      }
      return item;
    });
  }

  addArrows() {
    this.arrows = (this.run.text.arrows ?? []).map((arrow, index) => {
      const item = this.item("arrow", index, arrow.name, { arrow, numbers: this.run.numbers(arrow.vectors), spots: this.run.numbers(arrow.points), vector: [0, 0, 0], tip: [0, 0, 0] });
      const color = arrow.reaction ? COLORS.reaction : COLORS[arrow.kind];
      this.part(item, this.meshes.cylinder, color, { role: "shaft" });
      this.part(item, this.meshes.cone, color, { role: "head" });
      if (arrow.kind === "torque") this.part(item, this.meshes.cone, color, { role: "second" });
      return item;
    });
  }

  /* Axes of markers: x, y and z. */
  addMarkers() {
    this.markers = (this.run.text.markers ?? []).map((marker, index) => {
      const item = this.item("marker", index, marker.name, { marker });
      for (let axis = 0; axis < 3; axis += 1) this.part(item, this.meshes.thin, COLORS.axes[axis], { body: marker.body, axis, local: new Float64Array(16) });
      return item;
    });
    this.sizeMarkers(1);
  }

  /* Axes of markers as long as 6 % of the mechanism, times a factor. */
  sizeMarkers(factor) {
    this.scales.marker = factor;
    const length = 0.06 * this.size * factor, radius = 0.0022 * this.size * Math.sqrt(factor);
    for (const { marker, parts } of this.markers) {
      const axes = compose([0, 0, 0], marker.rotation, [1, 1, 1], new Float64Array(16));
      for (const part of parts) along(marker.position, [0, 1, 2].map((k) => axes[4 * part.axis + k]), length, radius, part.local);
    }
  }

  /* The ellipsoid and the box of uniform density with mass and inertia of each body, which are not seen at first. */
  addInertia() {
    const shapes = { ellipsoids: [sphere(16), 2.5], boxes: [this.meshes.cube, 1.5] };
    this.inertias = this.bodies.filter(({ index, body }) => index > 0 && body.mass > 0).flatMap((item) => Object.entries(shapes).flatMap(([inertia, [mesh, share]]) => {
      const { center, mass, inertia: tensor } = item.body;
      const half = halfAxes(tensor, mass, share);
      if (!half) return [];
      const local = compose(center ?? [0, 0, 0], half.rotation, half.lengths, new Float64Array(16));
      return [this.part(item, mesh, COLORS.inertia, { body: item.index, local, inertia, opacity: 0.85, origin: "inertia" })];
    }));
  }

  /* Where solids rest, faintly, while small shapes move them. */
  addGhosts() {
    const own = this.list.filter((part) => part.item.kind === "body" && part.local && part.body > 0 && part.origin !== "road" && part.origin !== "joint");
    const surfaces = [...own.map((part) => part.mesh), ...this.softs.map((soft) => soft.mesh)];
    this.ghosted = this.motion.shapes.some((shape) => shape.small) && surfaces.reduce((sum, mesh) => sum + mesh.triangles.length / 3, 0) < MOST_GHOSTS;
    if (!this.ghosted) return;
    const ghost = (item, mesh, matrix) => this.part(item, mesh, COLORS.ghost, { ghost: true, opacity: 0.13, matrix });
    for (const part of own) ghost(part.item, part.mesh, product(this.motion.rest[part.body], part.local, new Float64Array(16)));
    for (const soft of this.softs) if (soft.mesh.triangles.length) ghost(soft.item, soft.mesh, Float64Array.from(this.motion.rest[soft.body]));
  }

  /* The longest displacement of a point of each part in a shape, per unit of it; the longest of all, and the largest rotation. */
  reachOf(shape) {
    if (shape.reach) return shape.reach;
    const reach = { most: 0, turn: 0, parts: new Map() };
    for (const [body, real, imaginary] of shape.small) {
      const rest = this.motion.rest[body], origin = [rest[12], rest[13], rest[14]];
      const both = [real, ...(imaginary ? [imaginary] : [])];
      const far = (p, bent) => Math.hypot(...both.map((own, k) => norm(add(add(own.slice(0, 3), bent[k] ?? [0, 0, 0]), cross(own.slice(3, 6), sub(p, origin))))));
      for (const own of both) reach.turn = Math.max(reach.turn, norm(own.slice(3, 6)));
      let most = 0;
      for (const part of this.list) {
        if (part.body !== body || !part.local || part.item.kind !== "body" || part.inertia) continue;
        const matrix = product(rest, part.local, new Float64Array(16)), [a, b] = (ball(part.mesh), part.mesh.box);
        let longest = 0;
        for (let corner = 0; corner < 8; corner += 1) longest = Math.max(longest, far(place(matrix, [0, 1, 2].map((c) => ((corner >> c) & 1 ? b[c] : a[c]))), []));
        reach.parts.set(part, longest);
        most = Math.max(most, longest);
      }
      for (const soft of this.softs) {
        if (soft.body !== body) continue;
        const all = soft.corners + soft.lines.reduce((sum, line) => sum + line.length / 3, 0), stride = Math.max(1, Math.floor(all / 2000));
        for (let corner = 0; corner < all; corner += stride) {
          const bent = both.map((own) => turn(rest, [0, 1, 2].map((c) => soft.modes.reduce((sum, mode, m) => sum + (own[6 + m] ?? 0) * mode[3 * corner + c], 0))));
          most = Math.max(most, far(place(rest, soft.place(corner)), bent));
        }
      }
      reach.most = Math.max(reach.most, most || Math.hypot(...both.map((own) => norm(own.slice(0, 3)))));
    }
    shape.reach = reach;
    return reach;
  }

  /* The factor of a shape at an amplitude from 0 to 1: its longest displacement is 0.4 sizes at most, and nothing turns by more than 1.6. */
  factorOf(shape, amplitude) {
    const { most, turn: turns } = this.reachOf(shape);
    return amplitude * Math.min(most > 0 ? (0.4 * this.size) / most : Infinity, turns > 0 ? 1.6 / turns : Infinity, 1e300);
  }

  /* Chooses a shape and its amplitude. */
  chooseShape(index, amplitude) {
    const { motion } = this;
    if (index !== motion.shape) motion.choose(index);
    motion.amplitude = amplitude;
    const shape = motion.shapes[index];
    const small = shape?.small ? shape : null;
    motion.factor = small ? this.factorOf(small, amplitude) : 0;
    for (const part of this.list) {
      if (part.role === "beam") continue;
      part.colored = Boolean(small) && this.coloring === "displacement" && part.body > 0 && part.item.kind === "body" && !part.ghost && !part.inertia;
      part.field = part.colored ? motion.factor * (this.reachOf(small).parts.get(part) ?? 0) : 0;
    }
  }

  /* What the colours end at. */
  findMost() {
    const { motion, coloring } = this;
    const shape = motion.shapes[motion.shape];
    if (coloring === "displacement" && shape?.small) this.fieldMost = motion.factor * this.reachOf(shape).most;
    else this.fieldMost = coloring === "none" ? 0 : Math.max(0, ...this.softs.map((soft) => soft.most(coloring)));
  }

  /* The arrows of a joint, a motion, a force or a link: its force and its torque, but for what is rounding over the whole run. */
  loadsOf({ kind, name, arrow }) {
    if (kind !== "joint" && kind !== "arrow" && kind !== "link") return [];
    const [reaction, drives] = [kind === "joint" || Boolean(arrow?.reaction), Boolean(arrow?.drives)];
    const all = this.arrows.filter((one) => one.name === name && Boolean(one.arrow.reaction) === reaction && Boolean(one.arrow.drives) === drives);
    const seen = all.filter((one) => one.largest > this.least[one.arrow.kind]);
    return seen.length ? seen : all.slice(0, 1);
  }

  /* What 95 % of the vectors of a kind stay below, over the run. */
  usual(kind) {
    const sizes = [];
    for (const { arrow, numbers } of this.arrows) {
      if (arrow.kind !== kind) continue;
      const stride = 3 * Math.max(1, Math.ceil(numbers.length / 3 / 200));
      for (let k = 0; k + 2 < numbers.length; k += stride) {
        const size = Math.hypot(numbers[k], numbers[k + 1], numbers[k + 2]);
        if (size > this.least[kind]) sizes.push(size);
      }
    }
    sizes.sort((a, b) => a - b);
    return sizes.length ? sizes[Math.floor(0.95 * (sizes.length - 1))] : 1;
  }

  /* Puts every part where it is at the time of the motion. */
  update() {
    const { matrices } = this.motion;
    for (const part of this.list) if (part.local) product(matrices[part.body], part.local, part.matrix);
    for (const { marker, parts } of this.markers) {
      if (!marker.modes?.length || !this.shows.marker) continue;
      const at = this.motion.point(marker, this.deformation);
      for (const part of parts) for (let k = 0; k < 3; k += 1) part.matrix[12 + k] = at[k];
    }
    for (const item of this.links) if (this.isShown(item)) this.updateLink(item);
    for (const item of this.arrows) if (this.isShown(item)) this.updateArrow(item);
    for (const soft of this.softs) soft.updateLines();
    const ghosts = this.shows.ghost && Boolean(this.motion.shapes[this.motion.shape]?.small);
    for (const part of this.list) part.visible = part.drawn !== false && this.isShown(part.item) && (!part.ghost || ghosts) && (!part.inertia || part.inertia === this.shows.inertia);
  }

  isShown(item) {
    if (item.state === HIDDEN) return false;
    if (item.kind === "marker" && item.chosen) return true;
    if (item.kind === "joint" || item.kind === "link" || item.kind === "marker") return this.shows[item.kind];
    if (item.kind !== "arrow") return true;
    if (item.chosen) return true;
    return item.arrow.reaction ? this.shows.reaction : this.shows[item.arrow.kind];
  }

  opacityOf(part) {
    if (part.inertia) return part.opacity;
    // Bodies fade around their inertia.
    if (this.shows.inertia !== "none" && part.item.kind === "body" && part.body > 0 && !part.ghost && part.origin !== "road") return 0.3 * part.opacity;
    return part.item.state === CLEAR || (this.clear && !isNote(part) && !part.ghost && part.origin !== "road") ? Math.min(0.3, part.opacity) : part.opacity;
  }

  updateLink(item) {
    const points = item.link.points.map((point) => this.motion.point(point, this.deformation));
    const span = sub(points[1], points[0]);
    const length = norm(span);
    const direction = unit(span);
    for (const part of item.parts) {
      const { role, radius, rest, matrix } = part;
      if (role === "coil") along(points[0], direction, length, 1, matrix);
      else if (role === "tube") along(points[0], direction, Math.min(0.55 * rest, 0.95 * length), radius, matrix);
      else if (role === "rod") along(points[1], times(direction, -1), Math.max(length - 0.3 * rest, 0.05 * length), radius, matrix);
      else if (typeof role === "number") {
        const piece = sub(points[role + 1], points[role]);
        along(points[role], unit(piece), norm(piece), radius, matrix);
      } else if (role.startsWith("knot")) along(points[Number(role.slice(4))], [0, 0, 1], radius, radius, matrix);
      else along(add(points[0], times(span, (Number(role.slice(4)) + 0.15) / 7)), direction, (0.7 * length) / 7, radius, matrix);
    }
  }

  updateArrow(item) {
    const { arrow, numbers, spots } = item;
    const vector = this.motion.vector(numbers);
    const size = norm(vector);
    const scale = this.scales[arrow.kind];
    // A usual one has a fifth of the size of the mechanism, as in pictures.
    const length = Math.min(((0.2 * size) / this.most[arrow.kind]) * scale, 0.6 * Math.max(1, scale)) * this.size;
    // Where things touch wanders over their bodies.
    const start = spots ? this.motion.vector(spots) : this.motion.point(arrow.at, this.deformation);
    const direction = unit(vector);
    const width = 0.006 * this.size, head = Math.min(0.05 * this.size, 0.5 * length);
    const drawn = length > 0.004 * this.size && size > this.least[arrow.kind];
    item.vector = vector;
    item.start = start;
    item.tip = add(start, times(direction, length));
    for (const part of item.parts) {
      part.drawn = drawn;
      if (part.role === "shaft") along(start, direction, length - head, width, part.matrix);
      else {
        const back = part.role === "second" ? 1.6 : 1;
        along(sub(item.tip, times(direction, back * head)), direction, head, 0.36 * head, part.matrix);
      }
    }
  }

  /* Box of what is shown now, without roads and what is far larger than the mechanism: least and most corner. */
  bounds() {
    return this.boxOf((part) => !isNote(part), () => true) ?? [-0.5, 0.5].map((x) => [x, x, x].map((c) => c * this.size));
  }

  /* The same of a chosen part; null if nothing of it is drawn. */
  boundsOf(item) {
    return this.boxOf((part) => part.item === item || part.owner === item, (soft) => soft.item === item && this.isShown(item));
  }

  boxOf(counts, countsSoft) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const part of this.list) {
      if (!part.visible || part.origin === "road" || part.ghost || part.inertia || !counts(part)) continue;
      const { radius } = ball(part.mesh);
      const factor = Math.max(...[0, 4, 8].map((c) => Math.hypot(part.matrix[c], part.matrix[c + 1], part.matrix[c + 2])));
      if (part.body === 0 && radius * factor > 3 * this.size) continue;
      const [a, b] = part.mesh.box;
      for (let corner = 0; corner < 8; corner += 1) {
        let p = place(part.matrix, [0, 1, 2].map((c) => ((corner >> c) & 1 ? b[c] : a[c])));
        if (this.floor !== null) p = add(p, times(this.up, Math.max(0, this.floor - dot(p, this.up))));
        for (let c = 0; c < 3; c += 1) {
          low[c] = Math.min(low[c], p[c]);
          high[c] = Math.max(high[c], p[c]);
        }
      }
    }
    for (const soft of this.softs) if (countsSoft(soft)) soft.widen(low, high);
    return low[0] <= high[0] ? [low, high] : null;
  }

  /* Box of what is shown over the run, if it is not far larger than now: a mechanism that stays where it is is seen whole, one
   * that travels is seen as it is now. */
  wideBounds() {
    const [low, high] = this.bounds();
    const small = norm(sub(high, low)), now = this.motion.time;
    const [least, most] = [[...low], [...high]];
    // A shape goes through its turn, whatever the one frame says.
    const [start, end] = this.motion.shape === null ? [this.motion.start, this.motion.end] : [0, 1];
    for (let k = 0; k <= 24; k += 1) {
      this.motion.go(start + ((end - start) * k) / 24);
      this.update();
      const [a, b] = this.bounds();
      for (let c = 0; c < 3; c += 1) {
        least[c] = Math.min(least[c], a[c]);
        most[c] = Math.max(most[c], b[c]);
      }
    }
    this.motion.go(now);
    this.update();
    return norm(sub(most, least)) < 4 * small ? [least, most] : [low, high];
  }

  /* Height of the ground grid: that of the level plane on which bodies stand; at a road, if there is one; else below what moves, over
   * the run. */
  groundHeight() {
    if (this.floor !== null) return this.floor;
    const height = (part) => {
      const { box } = (ball(part.mesh), part.mesh);
      let least = Infinity;
      for (let corner = 0; corner < 8; corner += 1) {
        const p = [0, 1, 2].map((c) => box[(corner >> c) & 1][c]);
        least = Math.min(least, dot(this.up, place(part.matrix, p)));
      }
      return least;
    };
    const roads = this.list.filter((part) => part.origin === "road");
    if (roads.length) return Math.min(...roads.map(height)) - 0.003 * this.size;
    const solids = this.list.filter((part) => part.item.kind === "body" && !part.ghost && !part.inertia);
    let least = Infinity;
    const now = this.motion.time, count = Math.min(40, this.motion.times.length);
    for (let k = 0; k < count; k += 1) {
      this.motion.go(this.motion.times[Math.floor((k * (this.motion.times.length - 1)) / Math.max(1, count - 1))]);
      this.update();
      for (const part of solids) least = Math.min(least, height(part));
      for (const soft of this.softs) {
        const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
        soft.widen(low, high);
        if (low[0] <= high[0]) for (let c = 0; c < 8; c += 1) least = Math.min(least, dot(this.up, [0, 1, 2].map((d) => ((c >> d) & 1 ? high[d] : low[d]))));
      }
    }
    this.motion.go(now);
    this.update();
    return Number.isFinite(least) ? least - 0.02 * this.size : -0.5 * this.size;
  }

  /* The nearest part that a ray meets: its item, the point in ground and the distance; null if there is none. Signs of joints and
   * markers are found a little before what they are in, by that share of the size. */
  pick(origin, direction, before = 0.03, counts = () => true) {
    let best = null;
    for (const part of this.list) {
      if (!part.visible || part.ghost || !counts(part)) continue;
      const hit = meets(part.mesh, part.mesh.points, part.matrix, origin, direction);
      const near = part.owner.kind === "joint" || part.owner.kind === "marker" ? before * this.size : 0;
      if (hit && (!best || hit - near < best.rank)) best = { item: part.owner, part, distance: hit, rank: hit - near };
    }
    for (const soft of this.softs) {
      if (soft.item.state === HIDDEN || !soft.mesh.triangles.length) continue;
      const hit = meets(null, soft.deformed(this.deformation), this.motion.matrices[soft.body], origin, direction, soft.mesh.triangles);
      if (hit && (!best || hit < best.rank)) best = { item: soft.item, part: null, distance: hit, rank: hit };
    }
    if (best) best.point = add(origin, times(direction, best.distance));
    return best;
  }

  /* The item of an entity, by what messages call it. */
  find(kind, name) {
    const kinds = KINDS_OF_ITEMS.find(([words]) => words.some((word) => kind === word || kind.endsWith(` ${word}`)))?.[1] ?? [];
    for (const own of kinds) {
      const item = this.items.find((one) => one.kind === own && one.name === name);
      if (item) return item;
    }
    return this.list.find((part) => kinds.length && part.name === name)?.item ?? null;
  }

  /* A solid that stands for a joint belongs to the joint of its name. */
  ownerOf(part) {
    if (part.origin !== "joint" || part.item.kind === "joint") return part.item;
    return this.joints.find((joint) => joint.name === part.name) ?? part.item;
  }
}

/* The length of the longest of vectors. */
function largestOf(numbers) {
  let most = 0;
  for (let k = 0; k + 2 < (numbers?.length ?? 0); k += 3) most = Math.max(most, Math.hypot(numbers[k], numbers[k + 1], numbers[k + 2]));
  return most;
}

/* What is drawn for the reader, not a thing of the mechanism. */
const isNote = (part) => part.item.kind === "arrow" || part.item.kind === "marker";

/* Is it the chosen part, or a sign of the chosen joint? */
const isChosen = (part) => Boolean(part.item.chosen || part.owner?.chosen);
