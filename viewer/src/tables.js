/* Tables: parameters, warnings of the check, figures of the run, and what made it. */

function table(heads, rows, label) {
  const made = make("table");
  const head = make("tr");
  for (const text of heads) {
    const cell = make("th", "", text);
    cell.scope = "col";
    head.append(cell);
  }
  const top = make("thead"), body = make("tbody");
  top.append(head);
  for (const row of rows) {
    const line = make("tr");
    row.forEach((text, k) => line.append(make("td", heads[k] === "Value" ? "number" : "", text ?? "")));
    body.append(line);
  }
  made.append(top, body);
  made.setAttribute("aria-label", label);
  const sheet = make("div", "scroll");
  sheet.append(made);
  return sheet;
}

function parameterPanel(run) {
  const panel = make("div", "pane");
  const kinds = [["tunable", "Tunable during a run"], ["fixed", "Fixed"], ["setting", "Settings of the solver"]];
  const all = run.text.parameters ?? [];
  for (const [kind, title] of kinds) {
    const rows = all.filter((parameter) => parameter.kind === kind || (kind === "fixed" && !kinds.some(([one]) => one === parameter.kind)));
    if (!rows.length) continue;
    panel.append(make("h2", "", title));
    panel.append(table(["Name", "Value", "Unit", "Description"], rows.map((p) => [p.name, p.value, p.unit, p.description]), title));
  }
  if (!all.length) panel.append(make("p", "none", "The model has no parameters."));
  return panel;
}

/* How many errors, warnings and notes there are: `2 errors, 1 warning`. */
function counted(findings) {
  return ["error", "warning", "note"].map((grade) => [findings.filter((one) => one.grade === grade).length, grade])
    .filter(([count]) => count).map(([count, grade]) => `${count} ${grade}${count === 1 ? "" : "s"}`).join(", ");
}

function checkPanel(app) {
  const panel = make("div", "pane");
  const { findings } = app.parts;
  panel.append(make("h2", "", findings.length ? `Findings of the check: ${counted(findings)}` : "Check"));
  if (!findings.some((one) => one.grade !== "note")) panel.append(make("p", "good", "The check found nothing to warn of."));
  const list = make("ol", "warnings");
  for (const finding of findings) {
    const { place: where, text, grade, source, rule, item } = finding;
    const line = make("li", grade);
    const sign = icon(grade === "note" ? "help" : "warn");
    sign.title = grade;
    line.append(sign, make("code", "", where || grade), make("p", "", text));
    const from = [source, rule && `rule ${rule}`].filter(Boolean).join(" · ");
    if (from) line.append(make("small", "", from));
    if (item) {
      line.title = `Show ${item.name}`;
      clickable(line, () => app.showItem(item));
    }
    list.append(line);
  }
  panel.append(list);
  return panel;
}

function figurePanel(run) {
  const panel = make("div", "pane");
  const figures = run.text.figures ?? [], histograms = run.text.histograms ?? [];
  if (figures.length) panel.append(make("h2", "", run.text.kind === "view" ? "What it is made of" : "Figures of the run"));
  const cards = make("div", "figures");
  for (const { name, value, unit: unitText, note } of figures) {
    const card = make("div", "figure");
    const number = make("strong", String(value).length > 24 ? "words" : "", value);
    if (unitText) number.append(make("span", "", ` ${unitText}`));
    card.append(make("span", "label", name), number);
    if (note) card.append(make("small", "", note));
    cards.append(card);
  }
  panel.append(cards);
  for (const histogram of histograms) {
    panel.append(make("h2", "", histogram.name), histogramChart(histogram));
  }
  if (!figures.length && !histograms.length) panel.append(make("p", "none", "No figures were recorded."));
  return panel;
}

/* Bars over the edges of classes, with counts. */
function histogramChart({ name, unit: unitText, edges, counts }) {
  const width = 420, height = 150, left = 18, bottom = 22, top = 16;
  const most = Math.max(1, ...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const x = (k) => left + ((width - 2 * left) * k) / counts.length;
  const bars = counts.map((count, k) => {
    const h = count > 0 ? Math.max(1.5, ((height - bottom - top) * count) / most) : 0;
    const text = `${readable(edges[k], 4)} to ${readable(edges[k + 1], 4)} ${unitText}: ${count}`;
    return `<rect x="${(x(k) + 1).toFixed(1)}" y="${(height - bottom - h).toFixed(1)}" width="${Math.max(1, x(k + 1) - x(k) - 2).toFixed(1)}" height="${h.toFixed(1)}" rx="1.5"><title>${escaped(text)}</title></rect>` +
      (count > 0 && counts.length <= 16 ? `<text x="${((x(k) + x(k + 1)) / 2).toFixed(1)}" y="${(height - bottom - h - 4).toFixed(1)}" text-anchor="middle">${count}</text>` : "");
  });
  const stride = Math.max(1, Math.ceil(edges.length / 9));
  const marks = edges.map((edge, k) => (k % stride ? "" : `<text x="${x(k).toFixed(1)}" y="${height - 6}" text-anchor="middle" class="mark">${escaped(readable(edge, 3))}</text>`));
  const box = make("figure", "histogram");
  // Numbers only, and texts that were escaped.
  box.innerHTML = `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`${name}: ${total} in ${counts.length} classes`)}">` +
    `<line x1="${left}" x2="${width - left}" y1="${height - bottom}" y2="${height - bottom}"/>${bars.join("")}${marks.join("")}</svg>`;
  box.append(make("figcaption", "", `${total} values${unitText ? `, in ${unitText}` : ""}`));
  return box;
}

const escaped = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

function aboutPanel(run) {
  const panel = make("div", "pane");
  panel.append(make("h2", "", run.text.kind === "run" || !run.text.kind ? "What made this run" : "What made this page"));
  const list = make("dl", "about");
  for (const [name, value] of run.text.about ?? []) list.append(make("dt", "", name), make("dd", "", value));
  panel.append(list);
  if (run.text.against) panel.append(make("p", "words", `Compared with ${run.text.against.name}.`));
  const vendor = window.THREE || window.uPlot;
  if (window.FIXSTEP_LEGAL) {
    const legal = make("details", "legal");
    legal.append(make("summary", "", "Licences of three.js and uPlot"), make("pre", "", window.FIXSTEP_LEGAL));
    panel.append(legal);
  }
  panel.append(make("p", "words", vendor ? "The page holds parts of three.js and uPlot, both under the MIT licence. It asks no other server." : "It asks no other server."));
  return panel;
}
