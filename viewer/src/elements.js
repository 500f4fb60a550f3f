/* Signals of the motion: where a body is and how fast, what acts through a joint, a motion or a force, how long a link is. */

/* One for each frame of the motion. */
function motionSignal(app, name, unitText, values) {
  const { run, motion } = app;
  const partial = partOf(app), description = partial ? `of the motion: ${partial}` : "of the motion";
  const signal = new Signal(run, { name, unit: unitText, group: "motion", base: 0, description }, [{ numbers: motion.times }], null);
  return Object.assign(signal, { shown: values, partial });
}

/* How many rows of the run the motion has, in words; empty if it has all. */
function partOf({ motion, signals }) {
  const own = signals.filter((signal) => signal.group !== "motion"), whole = own.find((signal) => !signal.thinned), kept = motion.times.length;
  if (whole) return kept < whole.times.length ? `${kept} of ${whole.times.length} rows` : "";
  return own.length ? `${kept} rows, not all` : "";
}

/* Three components, and their size if asked. */
function vectorSignals(app, name, unitText, raw, factor, size = false, least = 0) {
  const count = app.motion.times.length;
  // What is smaller than `least` is rounding.
  const numbers = raw.map((x) => (Math.abs(x) < least ? 0 : x));
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
    return vectorSignals(app, `${name}.${arrow.reaction ? "reaction_" : ""}${arrow.kind}`, own, numbers, scale, true, parts.least[arrow.kind]);
  });
  if (item.kind === "link") groups.unshift(() => [motionSignal(app, `${item.name}.length`, unitText, lengthsOf(motion, item.link.points, factor))]);
  return groups;
}

/* The length of a link at each frame. */
function lengthsOf(motion, points, factor) {
  const now = motion.time;
  const lengths = Float64Array.from(motion.times, (t) => {
    motion.go(t);
    return motion.length(points) / factor;
  });
  motion.go(now);
  return lengths;
}
