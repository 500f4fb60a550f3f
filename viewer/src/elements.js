/* Signals of the motion: where a body is and how fast, what acts through a joint, a motion or a force, how long a link is. */

/* One for each frame of the motion. */
function motionSignal(app, name, unitText, values) {
  const { run, motion } = app;
  const rows = app.signals.find((signal) => !signal.thinned)?.times.length ?? 0;
  const description = motion.times.length < rows ? "of the motion, of which not all rows are kept" : "of the motion";
  const signal = new Signal(run, { name, unit: unitText, group: "motion", base: 0, description }, [{ numbers: motion.times }], null);
  signal.shown = values;
  return signal;
}

/* Three components, and their size if asked. */
function vectorSignals(app, name, unitText, numbers, factor, size = false) {
  const count = app.motion.times.length;
  const all = ["x", "y", "z"].map((axis, c) => motionSignal(app, `${name}.${axis}`, unitText, Float64Array.from({ length: count }, (_, k) => numbers[3 * k + c] / factor)));
  if (size) all.push(motionSignal(app, name, unitText, Float64Array.from({ length: count }, (_, k) => Math.hypot(numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]) / factor)));
  return all;
}

/* What the motion tells of an item: groups of signals, of which each is worth a panel. */
function motionSignals(app, item) {
  const { run, motion, parts } = app, { unit: unitText, factor } = run.text.length ?? { unit: "m", factor: 1 };
  if (motion.times.length < 2 || motion.shapes.length) return [];
  if (item.kind === "body") {
    const film = motion.bodies[item.index];
    if (!film) return [];
    const groups = [() => vectorSignals(app, `${item.name}.position`, unitText, film.position, factor)];
    if (film.velocity) groups.push(() => vectorSignals(app, `${item.name}.velocity`, `${unitText}/s`, film.velocity, factor), () => vectorSignals(app, `${item.name}.angular_velocity`, "rad/s", film.turning, 1));
    return groups;
  }
  const groups = parts.loadsOf(item).map(({ arrow, numbers, name }) => () => {
    const { unit: own, factor: scale } = run.text[arrow.kind];
    return vectorSignals(app, `${name}.${arrow.reaction ? "reaction_" : ""}${arrow.kind}`, own, numbers, scale, true);
  });
  if (item.kind === "link") groups.unshift(() => [motionSignal(app, `${item.name}.length`, unitText, lengthsOf(motion, item.link.points, factor))]);
  return groups;
}

/* The length of a link at each frame. */
function lengthsOf(motion, points, factor) {
  const now = motion.time;
  const lengths = Float64Array.from(motion.times, (t) => {
    motion.go(t);
    const ends = points.map((point) => motion.point(point, 1));
    let length = 0;
    for (let k = 0; k + 1 < ends.length; k += 1) length += norm(sub(ends[k + 1], ends[k]));
    return length / factor;
  });
  motion.go(now);
  return lengths;
}
