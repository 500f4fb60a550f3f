/* Typed limits of the axes of a panel; those of empty fields are found from the lines. */

class Limits {
  constructor(panel) {
    this.panel = panel;
    this.root = make("div", "limits");
  }

  /* The axes as they are now: [key, text, range, typed]. */
  rows() {
    const { panel } = this, { drawn } = panel;
    if (!drawn) return [];
    const typed = panel.kind === "time" ? panel.plots.range : panel.range;
    return [[null, drawn.xTitle, drawn.x, typed], ...drawn.axes.map(({ unit: name, range }) => [name, name ? `y [${name}]` : "y", range, panel.part?.[name]])];
  }

  fill() {
    const rows = this.rows().map(([key, text, range, typed], k) => {
      const row = make("div", "limit");
      const fields = ["from", "to"].map((end, side) => {
        const field = make("input");
        Object.assign(field, { type: "text", inputMode: "decimal", value: typed ? limitText(typed[side]) : "", placeholder: limitText(range[side]) });
        field.setAttribute("aria-label", `${text} ${end}`);
        field.addEventListener("change", () => this.take(key, fields, k === 0));
        return field;
      });
      row.append(make("span", "", text), ...fields);
      return row;
    });
    this.root.replaceChildren(make("strong", "", "Limits of axes"), ...rows);
  }

  /* What the fields of an axis say. */
  take(key, fields, across) {
    const { panel } = this;
    const values = fields.map(({ value }) => Number(value.trim().replace("−", "-").replace(",", ".") || NaN));
    const axis = across ? { whole: panel.drawn.wholeX } : panel.drawn.axes.find((one) => one.unit === key);
    const empty = fields.every(({ value }) => !value.trim());
    const range = values.map((value, k) => (Number.isFinite(value) ? value : axis.whole[k]));
    const holds = empty || (range[0] < range[1] && (!axis.log || range[0] > 0) && fields.every(({ value }, k) => !value.trim() || Number.isFinite(values[k])));
    for (const field of fields) field.setAttribute("aria-invalid", String(!holds));
    if (!holds) return;
    if (across && panel.kind === "time") {
      if (empty) panel.plots.range = null;
      else panel.plots.setRange(range);
      panel.plots.later();
    } else if (across) panel.set({ range: empty ? null : range });
    else {
      const { [key]: _, ...rest } = panel.part ?? {};
      panel.set({ part: empty ? rest : { ...rest, [key]: range } });
    }
    // The range of time ends with the run.
    const [, , , typed] = this.rows().find(([own]) => own === key);
    fields.forEach((field, k) => { if (field.value.trim()) field.value = typed ? limitText(typed[k]) : ""; });
  }
}

const limitText = (value) => readable(value, 6);
