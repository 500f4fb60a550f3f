/* Typed limits of axes; those of empty fields are found from the lines. */

class Limits {
  /* `axes` gives the axes as they are now: { text, range, whole, typed, log, take }, where `take` gets a range, or null for that of the lines. */
  constructor(axes) {
    this.axes = axes;
    this.root = make("div", "limits");
  }

  fill() {
    const rows = this.axes().map(({ text, range, typed }, k) => {
      const row = make("div", "limit");
      const fields = ["from", "to"].map((end, side) => {
        const field = make("input");
        Object.assign(field, { type: "text", inputMode: "decimal", value: typed ? limitText(typed[side]) : "", placeholder: limitText(range[side]) });
        field.setAttribute("aria-label", `${text} ${end}`);
        field.addEventListener("change", () => this.take(k, fields));
        return field;
      });
      row.append(make("span", "", text), ...fields);
      return row;
    });
    this.said = make("small", "bad");
    this.said.setAttribute("role", "status");
    this.root.replaceChildren(make("strong", "", "Limits of axes"), ...rows, this.said);
  }

  /* What the fields of an axis say. */
  take(k, fields) {
    const axis = this.axes()[k];
    const values = fields.map(({ value }) => Number(value.trim().replace("−", "-").replace(",", ".") || NaN));
    const empty = fields.every(({ value }) => !value.trim());
    const range = values.map((value, side) => (Number.isFinite(value) ? value : axis.whole[side]));
    const wrong = fields.some(({ value }, side) => value.trim() && !Number.isFinite(values[side])) ? "A limit is a number in the unit of its axis."
      : empty ? "" : axis.log && !(range[0] > 0) ? "Limits of a logarithmic axis are above 0." : range[0] < range[1] ? "" : `Not taken: the first limit (${limitText(range[0])}) is not below the second (${limitText(range[1])}).`;
    for (const field of fields) field.setAttribute("aria-invalid", String(Boolean(wrong)));
    this.said.textContent = wrong;
    if (wrong) return;
    axis.take(empty ? null : range);
    // What is taken may be less: the range of time ends with the run.
    const { typed } = this.axes()[k];
    fields.forEach((field, side) => { if (field.value.trim()) field.value = typed ? limitText(typed[side]) : ""; });
  }
}

const limitText = (value) => readable(value, 6);
