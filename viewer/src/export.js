/* Plots as files. */

/* Rows of all times of the lines, in order; a line without a sample at a time leaves its cell empty. Only what is in the range. */
function csvOf(chart, xName) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const heads = [xName, ...chart.lines.map((line) => (line.unit ? `${line.label} [${line.unit}]` : line.label))];
  const rows = [heads.map(quoted).join(",")];
  const [from, to] = chart.x;
  if (chart.lines.some((line) => !line.sorted)) {
    const n = Math.max(...chart.lines.map((line) => line.xs.length));
    const both = chart.lines.flatMap((line) => [`x of ${line.label}`, line.unit ? `${line.label} [${line.unit}]` : line.label]);
    const lines = [both.map(quoted).join(",")];
    for (let k = 0; k < n; k += 1) lines.push(chart.lines.flatMap((line) => [line.xs[k] ?? "", line.ys[k] ?? ""]).join(","));
    return `${lines.join("\r\n")}\r\n`;
  }
  const at = chart.lines.map((line) => (line.xs.length && line.xs[0] < from ? lastNotAbove(line.xs, from) : 0));
  chart.lines.forEach((line, k) => { while (at[k] < line.xs.length && line.xs[at[k]] < from) at[k] += 1; });
  for (;;) {
    let next = Infinity;
    chart.lines.forEach((line, k) => { if (at[k] < line.xs.length) next = Math.min(next, line.xs[at[k]]); });
    if (next === Infinity || !(next <= to)) break;
    const cells = chart.lines.map((line, k) => {
      if (line.xs[at[k]] !== next) return "";
      at[k] += 1;
      return line.ys[at[k] - 1];
    });
    rows.push([next, ...cells].join(","));
  }
  return `${rows.join("\r\n")}\r\n`;
}

/* An SVG text as PNG, at twice its size. */
function pngOf(svg, width, height) {
  return new Promise((done, failed) => {
    const image = new Image();
    image.onload = () => {
      const canvas = make("canvas");
      Object.assign(canvas, { width: 2 * width, height: 2 * height });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(done);
    };
    image.onerror = () => failed(new Error("The plot could not be painted."));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  });
}

async function exportPanel(panel, kind) {
  const chart = panel.chart();
  const name = linesName(chart.lines.map((line) => line.label));
  if (kind === "csv") return save(fileName(name, "csv"), csvOf(chart, panel.xName), "text/csv");
  const width = Math.max(640, Math.round(panel.plot.clientWidth)), height = Math.max(300, Math.round(panel.plot.clientHeight));
  const colors = { ...chartColors(), paper: getComputedStyle(document.body).getPropertyValue("--paper").trim() || "#fff" };
  const svg = chartSvg(squared(chart, width, height), width, height, colors, true);
  if (kind === "svg") return save(fileName(name, "svg"), svg, "image/svg+xml");
  return save(fileName(name, "png"), await pngOf(svg, width, height + 14 + 16 * chart.lines.length));
}
