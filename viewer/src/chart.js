/* Charts as data: lines, ranges, ticks; and the same chart as SVG, to save and for pages without uPlot.
 *
 * A chart is { lines: [{ label, unit, color, dash, xs, ys, sorted, axis }], x: [from, to], xTitle, axes: [{ unit, range, log }] }. */

/* Samples for a picture of so many columns: of each column the first, the least, the largest and the last, in their order. */
function thinned(line, [from, to], columns) {
  const { xs, ys, sorted } = line;
  const n = Math.min(xs.length, ys.length);
  if (!sorted) return n <= 20000 ? Array.from({ length: n }, (_, k) => k) : Array.from({ length: 20000 }, (_, k) => Math.floor((k * (n - 1)) / 19999));
  const start = n && xs[0] < from ? Math.min(lastNotAbove(xs, from), n - 1) : 0;
  const end = Math.min(n - 1, n ? lastNotAbove(xs, to) + 1 : -1);
  if (end - start <= 4 * columns) return Array.from({ length: Math.max(0, end - start + 1) }, (_, k) => start + k);
  const out = [];
  const width = (to - from) / columns;
  let k = start;
  while (k <= end) {
    const column = Math.floor((xs[k] - from) / width), limit = from + (column + 1) * width;
    const first = k;
    let low = k, high = k;
    for (; k <= end && (k === first || xs[k] < limit); k += 1) {
      if (ys[k] < ys[low]) low = k;
      if (ys[k] > ys[high]) high = k;
    }
    const marks = low < high ? [first, low, high, k - 1] : [first, high, low, k - 1];
    marks.forEach((mark, m) => (m && mark === marks[m - 1] ? 0 : out.push(mark)));
  }
  return out;
}

/* Least and largest value of lines where x is in a range, with some space; the logarithm's range for a log axis. */
function rangeOf(lines, [from, to], log) {
  let low = Infinity, high = -Infinity;
  for (const { xs, ys, sorted } of lines) {
    const n = Math.min(xs.length, ys.length);
    const start = sorted && n && xs[0] < from ? lastNotAbove(xs, from) : 0;
    for (let k = start; k < n; k += 1) {
      if (sorted && xs[k] > to) break;
      const y = ys[k];
      if (log && !(y > 0)) continue;
      if (y < low) low = y;
      if (y > high) high = y;
    }
  }
  if (!(low <= high)) return log ? [0.1, 1] : [0, 1];
  if (log) return [10 ** Math.floor(Math.log10(Math.max(low, high * 1e-9))), 10 ** Math.ceil(Math.log10(high) + 1e-9)];
  if (high - low <= 1e-12 * Math.max(Math.abs(low), Math.abs(high))) {
    const pad = Math.abs(low) > 0 ? 0.1 * Math.abs(low) : 1;
    return [low - pad, high + pad];
  }
  const pad = 0.06 * (high - low);
  return [low - pad, high + pad];
}

/* Round values in a range: at most so many, but two at least, since one value gives no scale. */
function ticks([low, high], most, log) {
  const out = [];
  if (log) {
    const a = Math.ceil(Math.log10(low) - 1e-9), b = Math.floor(Math.log10(high) + 1e-9);
    if (b - a < 2) {
      // Few powers of ten: their multiples too; of a narrow range, even steps.
      for (let k = a - 1; k <= b; k += 1) for (const m of [1, 2, 5]) if (m * 10 ** k >= low * (1 - 1e-9) && m * 10 ** k <= high * (1 + 1e-9)) out.push(m * 10 ** k);
      return out.length > 2 ? out : ticks([low, high], Math.min(4, most), false);
    }
    const stride = Math.max(1, Math.ceil((b - a) / most));
    for (let k = a; k <= b; k += stride) out.push(10 ** k);
    return out;
  }
  const ends = (step) => [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  // The largest step with two values in the range; then the next smaller ones while they give no more than may be.
  const power = 10 ** Math.floor(Math.log10(high - low));
  const steps = [10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05].map((k) => k * power);
  const counts = steps.map((step) => ends(step)[1] - ends(step)[0] + 1);
  let best = counts.findIndex((count) => count >= 2);
  if (best < 0) return out;
  while (best + 1 < steps.length && counts[best + 1] <= most) best += 1;
  const [first, last] = ends(steps[best]);
  for (let k = first; k <= last; k += 1) out.push(k * steps[best]);
  return out;
}

/* How many ticks an axis of so many pixels has room for. */
const ROOM = { across: (length) => Math.max(2, Math.floor(length / 70)), up: (length) => Math.max(2, Math.floor(length / 34)) };

/* Ticks as text, all with the digits that tell them apart. */
function tickTexts(values, log) {
  if (log) return values.map((value) => ((value >= 0.01 && value <= 1000) || Math.abs(Math.log10(value) - Math.round(Math.log10(value))) > 1e-9 ? readable(value) : `1e${Math.round(Math.log10(value))}`.replace("-", "−")));
  const size = Math.max(...values.map(Math.abs), 0);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) {
    const power = Math.floor(Math.log10(size));
    const step = values.length > 1 ? values[1] - values[0] : size;
    const digits = clamp(power - Math.floor(Math.log10(step) + 1e-9), 0, 9);
    return values.map((value) => (Math.abs(value) < 1e-9 * size ? "0" : `${(value / 10 ** power).toFixed(digits)}e${power}`.replaceAll("-", "−")));
  }
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : size || 1;
  const first = clamp(-Math.floor(Math.log10(step) + 1e-9), 0, 12);
  const digits = Math.abs(step * 10 ** first - Math.round(step * 10 ** first)) > 1e-3 ? first + 1 : first;
  return values.map((value) => (Math.abs(value) < 1e-9 * step ? 0 : value).toFixed(digits).replace("-", "−"));
}

/* Maps of a chart in a box. */
function mapsOf(chart, box) {
  const g = chart.xLog ? Math.log10 : (value) => value;
  const [from, to] = chart.x.map(g);
  const x = (value) => box.left + ((g(value) - from) / (to - from || 1)) * box.width;
  const ys = chart.axes.map(({ range: [low, high], log }) => {
    const f = log ? Math.log10 : (value) => value;
    return (value) => box.top + (1 - (f(value) - f(low)) / (f(high) - f(low) || 1)) * box.height;
  });
  return { x, ys };
}

/* The same chart with as many pixels for a unit upward as along x: what would be too long is widened about its middle. */
function squared(chart, width, height) {
  if (!chart.equal || chart.axes.length !== 1) return chart;
  const [axis] = chart.axes, spans = [chart.x, axis.range].map(([a, b]) => b - a);
  let made = chart;
  // The room of the numbers changes with their range.
  for (let k = 0; k < 3; k += 1) {
    const box = boxOf(made, width, height), each = Math.max(spans[0] / box.width, spans[1] / box.height);
    const wide = ([a, b], size) => [0.5 * (a + b - each * size), 0.5 * (a + b + each * size)];
    made = { ...chart, x: wide(chart.x, box.width), axes: [{ ...axis, range: wide(axis.range, box.height) }] };
  }
  return made;
}

/* The path of a line in pixels, through its thinned samples. */
function pathOf(line, chart, box, move, draw) {
  const { x, ys } = mapsOf(chart, box);
  const y = ys[line.axis];
  const { log } = chart.axes[line.axis];
  let pen = false;
  const columns = Math.max(50, Math.round(box.width));
  // Equal columns hold few samples of a low decade: of a logarithmic axis all are drawn.
  const kept = chart.xLog ? line.xs.keys() : thinned(line, chart.x, columns);
  for (const k of kept) {
    const value = line.ys[k], at = line.xs[k];
    if (!Number.isFinite(value) || !Number.isFinite(at) || (log && !(value > 0))) {
      pen = false;
      continue;
    }
    (pen ? draw : move)(x(at), y(value));
    pen = true;
  }
}

/* The room that the numbers of each upward axis take; the first has at least that of the charts above and below. */
function roomsOf(chart, height) {
  return chart.axes.map(({ range, log }, k) => {
    const texts = tickTexts(ticks(range, ROOM.up(height - 48), log), log);
    return Math.max(42, 6.3 * Math.max(0, ...texts.map((text) => text.length)) + 9, k ? 0 : chart.room ?? 0);
  });
}

/* The box of the plot inside a chart. */
function boxOf(chart, width, height) {
  const [first, ...others] = roomsOf(chart, height);
  const left = 16 + first, right = Math.max(14, others.reduce((sum, room) => sum + room + 14, 0));
  return { left, top: 10, width: Math.max(20, width - left - right), height: Math.max(20, height - 10 - 38) };
}

/* The colour of an axis: of several, one that belongs to a single curve has the curve's. */
function inkOf(chart, k, ink) {
  const own = chart.lines.filter((line) => line.axis === k);
  return chart.axes.length > 1 && own.length === 1 ? own[0].color : ink;
}

/* The chart as SVG text. `legend` writes names above it: for a file. */
function chartSvg(chart, width, height, colors, legend = false) {
  const head = legend ? 14 + 16 * chart.lines.length : 0;
  const box = boxOf(chart, width, height);
  const { x, ys } = mapsOf(chart, box);
  const f = (value) => value.toFixed(1);
  const out = [];
  const text = (px, py, words, more = "") => out.push(`<text x="${f(px)}" y="${f(py)}" ${more}>${escaped(words)}</text>`);
  const bottom = box.top + box.height;
  const columns = ticks(chart.x, ROOM.across(box.width), chart.xLog);
  tickTexts(columns, chart.xLog).forEach((words, k) => {
    out.push(`<line x1="${f(x(columns[k]))}" x2="${f(x(columns[k]))}" y1="${box.top}" y2="${f(bottom)}" stroke="${colors.grid}"/>`);
    text(x(columns[k]), bottom + 15, words, 'text-anchor="middle"');
  });
  text(box.left + box.width / 2, bottom + 32, chart.xTitle, 'text-anchor="middle"');
  const rooms = roomsOf(chart, height);
  chart.axes.forEach((axis, a) => {
    const rows = ticks(axis.range, ROOM.up(box.height), axis.log);
    const edge = a === 0 ? box.left - 6 : box.left + box.width + 6 + rooms.slice(1, a).reduce((sum, room) => sum + room + 14, 0);
    const fill = `fill="${inkOf(chart, a, colors.ink)}"`;
    tickTexts(rows, axis.log).forEach((words, k) => {
      const at = ys[a](rows[k]);
      if (a === 0) out.push(`<line x1="${box.left}" x2="${f(box.left + box.width)}" y1="${f(at)}" y2="${f(at)}" stroke="${colors.grid}"/>`);
      text(edge, at + 3.5, words, `text-anchor="${a === 0 ? "end" : "start"}" ${fill}`);
    });
    if (axis.unit) {
      const px = a === 0 ? 11 : edge + rooms[a] + 2, py = box.top + box.height / 2;
      text(px, py, axis.unit, `text-anchor="middle" ${fill} transform="rotate(-90 ${f(px)} ${f(py)})"`);
    }
  });
  out.push(`<rect x="${box.left}" y="${box.top}" width="${f(box.width)}" height="${f(box.height)}" fill="none" stroke="${colors.line}"/>`);
  for (const [value, words] of chart.limits ?? []) {
    const at = ys[0](value);
    out.push(`<line x1="${box.left}" x2="${f(box.left + box.width)}" y1="${f(at)}" y2="${f(at)}" stroke="${colors.ink}" stroke-dasharray="5 4"/>`);
    text(box.left + box.width - 6, at - 5, words, 'text-anchor="end"');
  }
  const lines = chart.lines.map((line) => {
    if (line.dots) return dotsOf(line, chart, { x, y: ys[line.axis] });
    const parts = [];
    pathOf(line, chart, box, (px, py) => parts.push(`M${f(px)} ${f(py)}`), (px, py) => parts.push(`L${f(px)} ${f(py)}`));
    return `<path d="${parts.join("")}" fill="none" stroke="${line.color}" stroke-width="1.5" stroke-linejoin="round" ${line.dash ? `stroke-dasharray="${line.dash.join(" ")}"` : ""}/>`;
  });
  for (const [px, py] of chart.marks ?? []) lines.push(`<circle cx="${f(x(px))}" cy="${f(ys[0](py))}" r="4" fill="none" stroke="${colors.ink}"/>`);
  const pins = (chart.pins ?? []).map(([[px, py], words]) => {
    const [cx, cy] = [x(px), ys[0](py)], end = cx > box.left + 0.7 * box.width;
    return `<circle cx="${f(cx)}" cy="${f(cy)}" r="9" fill="none" stroke="${colors.ink}" stroke-width="1.6"/><text x="${f(cx + (end ? -14 : 14))}" y="${f(cy + 4)}" text-anchor="${end ? "end" : "start"}">${escaped(words)}</text>`;
  });
  const names = !legend ? "" : chart.lines.map((line, k) =>
    `<line x1="${box.left}" x2="${box.left + 22}" y1="${16 + 16 * k}" y2="${16 + 16 * k}" stroke="${line.color}" stroke-width="2" ${line.dash ? `stroke-dasharray="${line.dash.join(" ")}"` : ""}/>` +
    `<text x="${box.left + 28}" y="${20 + 16 * k}">${escaped(line.label)}${line.unit ? ` [${escaped(line.unit)}]` : ""}</text>`).join("");
  const whole = height + head;
  const paper = legend ? `<rect width="${width}" height="${whole}" fill="${colors.paper}"/>` : "";
  const clip = `clip${(chartSvg.count = (chartSvg.count ?? 0) + 1)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${whole}" viewBox="0 0 ${width} ${whole}" font-family="Inter, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="11" fill="${colors.ink}">` +
    `${paper}${names}<g transform="translate(0 ${head})"><clipPath id="${clip}"><rect x="${box.left}" y="${box.top}" width="${f(box.width)}" height="${f(box.height)}"/></clipPath>${out.join("")}<g clip-path="url(#${clip})">${lines.join("")}${pins.join("")}</g></g></svg>`;
}

/* Points by themselves. */
function dotsOf(line, chart, { x, y }) {
  const out = [];
  line.xs.forEach((value, k) => {
    const [px, py] = [x(value), y(line.ys[k])];
    if (Number.isFinite(px) && Number.isFinite(py)) out.push(`<circle cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="4" fill="${line.color}" fill-opacity=".85"/>`);
  });
  return out.join("");
}

/* Draws a chart into an element with uPlot, or as SVG without it. Gives the box of the plot. */
function drawChart(element, chart, width, height, colors) {
  element.uplot?.destroy();
  element.uplot = null;
  element.replaceChildren();
  if (!window.uPlot) {
    element.innerHTML = chartSvg(chart, width, height, colors);
    return boxOf(chart, width, height);
  }
  const font = '11px Inter, "Segoe UI", "Helvetica Neue", Helvetica, Arial, sans-serif';
  const common = { font, labelFont: font, stroke: colors.ink, labelSize: 16, labelGap: 0, gap: 4, ticks: { stroke: colors.line, size: 4, width: 1 } };
  const grid = { stroke: colors.grid, width: 1 };
  // The same ticks as in SVG.
  const splits = (range, most, log) => ({ splits: () => ticks(range, most, log), filter: (_, values) => values });
  const scales = { x: { time: false, range: () => chart.x } };
  const axes = [{ ...common, grid, label: chart.xTitle, size: 22, space: 10, ...splits(chart.x, ROOM.across(boxOf(chart, width, height).width), false), values: (_, values) => tickTexts(values) }];
  const rooms = roomsOf(chart, height);
  chart.axes.forEach((axis, k) => {
    scales[`y${k}`] = { range: () => axis.range, distr: axis.log ? 3 : 1, log: 10 };
    axes.push({ ...common, stroke: inkOf(chart, k, colors.ink), scale: `y${k}`, side: k ? 1 : 3, grid: k ? { show: false } : grid, label: axis.unit || " ", size: rooms[k], space: 10,
      ...splits(axis.range, ROOM.up(height - 48), axis.log), values: (_, values) => tickTexts(values, axis.log) });
  });
  const series = chart.lines.map((line) => ({
    scale: `y${line.axis}`, stroke: line.color, width: 1.5, dash: line.dash, points: { show: false },
    paths: (plot) => {
      const stroke = new Path2D();
      pathOf(line, chart, plot.bbox, (x, y) => stroke.moveTo(x, y), (x, y) => stroke.lineTo(x, y));
      return { stroke, fill: null, clip: null, band: null, gaps: null, flags: 0 };
    },
  }));
  const data = [chart.x, ...chart.lines.map((line) => chart.axes[line.axis].range)];
  const options = { width, height, scales, axes, series: [{}, ...series], legend: { show: false }, cursor: { show: false }, padding: [10, chart.axes.length > 1 ? 0 : 14, 0, 0] };
  element.uplot = new uPlot(options, data, element);
  const ratio = uPlot.pxRatio, { left, top, width: w, height: h } = element.uplot.bbox;
  return { left: left / ratio, top: top / ratio, width: w / ratio, height: h / ratio };
}
