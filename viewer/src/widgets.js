/* Small parts of the surface: icons, buttons, lists to choose from, tabs, files to save. */

const ICONS = {
  play: '<path d="M4.5 2.8v10.4l8.6-5.2z" fill="currentColor" stroke="none"/>',
  pause: '<path d="M4 3h3v10H4zM9 3h3v10H9z" fill="currentColor" stroke="none"/>',
  back: '<path d="M11.5 3.5v9L5 8zM4 3.5v9" />', forward: '<path d="M4.5 3.5v9L11 8zM12 3.5v9"/>',
  loop: '<path d="M3 7.2A4.6 4.6 0 0 1 11.6 5M13 8.8A4.6 4.6 0 0 1 4.4 11M11.8 2.3V5H9.1M4.2 13.7V11h2.7"/>',
  fit: '<path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10"/><circle cx="8" cy="8" r="1.6"/>',
  sun: '<circle cx="8" cy="8" r="2.8"/><path d="M8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1"/>',
  eye: '<path d="M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8z"/><circle cx="8" cy="8" r="2" fill="currentColor" stroke="none"/>',
  half: '<path d="M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8z" stroke-dasharray="2 1.6"/><circle cx="8" cy="8" r="2"/>',
  off: '<path d="M1.8 9.2c3.4 3.2 9 3.2 12.4 0M4 11l-1 1.6M8 11.8v1.9M12 11l1 1.6"/>',
  close: '<path d="M4 4l8 8M12 4l-8 8"/>', plus: '<path d="M8 3v10M3 8h10"/>',
  save: '<path d="M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11"/>',
  side: '<rect x="1.8" y="2.8" width="12.4" height="10.4" rx="1.6"/><path d="M6 2.8v10.4"/>',
  help: '<circle cx="8" cy="8" r="6.2"/><path d="M6.2 6.2c.2-2.4 3.8-2.2 3.6.2-.1 1.2-1.8 1.3-1.8 2.8M8 11.2v.4"/>',
  warn: '<path d="M8 2.2 14.4 13.4H1.6zM8 6.4v3.4M8 11.4v.4"/>',
  gear: '<path d="M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7"/><circle cx="10.5" cy="4.5" r="1.6"/><circle cx="5.5" cy="11.5" r="1.6"/>',
  axes: '<path d="M4 12.5V3M4 12.5h9.5M4 12.5l4.6-4.6"/>',
  trace: '<path d="M2 12.5C4 4 7 3 8.5 7s3 4 5.5-3"/><circle cx="14" cy="4" r="1.2" fill="currentColor"/>',
  target: '<circle cx="8" cy="8" r="4.6"/><path d="M8 1.5v4M8 10.5v4M1.5 8h4M10.5 8h4"/>',
};

function icon(name) {
  const span = make("span", "icon");
  // The texts above are ours; no text of the data comes here.
  span.innerHTML = `<svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${ICONS[name]}</svg>`;
  return span;
}

/* A button with an icon, a text, or both; `label` is read aloud and shown on hovering. */
function button(label, { sign, text, act, quiet = true, key } = {}) {
  const made = make("button", quiet ? "quiet" : "");
  made.type = "button";
  if (sign) made.append(icon(sign));
  if (text) made.append(make("span", "", text));
  made.setAttribute("aria-label", label);
  made.title = key ? `${label} (${key})` : label;
  if (act) made.addEventListener("click", act);
  return made;
}

function swapIcon(made, name) {
  if (made.dataset.sign === name) return;
  made.dataset.sign = name;
  made.querySelector(".icon").replaceWith(icon(name));
}

/* What can be clicked can be reached by Tab, and takes Enter and the space bar. */
function clickable(element, act) {
  element.tabIndex = 0;
  element.classList.add("choice");
  element.addEventListener("click", act);
  element.addEventListener("keydown", (event) => {
    if (event.target !== element || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
}

/* A list to choose from: options are [value, text]. */
function chooser(label, options, value, act) {
  const select = make("select");
  select.setAttribute("aria-label", label);
  select.title = label;
  for (const [key, text] of options) {
    const option = make("option", "", text);
    option.value = key;
    select.append(option);
  }
  select.value = value;
  select.addEventListener("change", () => act(select.value));
  return select;
}

function check(text, value, act) {
  const label = make("label", "check");
  const input = make("input");
  input.type = "checkbox";
  input.checked = value;
  input.addEventListener("change", () => act(input.checked));
  label.append(input, make("span", "", text));
  return label;
}

/* A slider whose value is a power: `value` = base ** position. */
function powerSlider(text, [low, high], value, act, show = (x) => `${readable(x, 3)}×`) {
  const label = make("label", "slider");
  const input = make("input"), said = make("output", "", show(value));
  Object.assign(input, { type: "range", min: Math.log10(low), max: Math.log10(high), step: 0.01 });
  input.value = Math.log10(value);
  input.addEventListener("input", () => {
    const now = 10 ** Number(input.value);
    said.textContent = show(now);
    act(now);
  });
  label.append(make("span", "", text), input, said);
  return label;
}

/* A button that opens a small sheet of controls. */
function popover(label, sign, contents) {
  const details = make("details", "pop");
  const summary = make("summary");
  summary.append(icon(sign), make("span", "", label));
  const sheet = make("div", "sheet");
  sheet.append(...contents);
  details.append(summary, sheet);
  // The sheet stays inside its part of the page.
  details.addEventListener("toggle", () => {
    if (!details.open || !details.parentElement) return;
    sheet.style.marginLeft = "0";
    const room = (details.closest("#scene") ?? document.body).getBoundingClientRect().right - 8;
    const over = sheet.getBoundingClientRect().right - room;
    if (over > 0) sheet.style.marginLeft = `${-over}px`;
  });
  document.addEventListener("pointerdown", (event) => {
    if (!details.contains(event.target)) details.open = false;
  });
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    details.open = false;
    summary.focus();
  });
  return details;
}

/* Tabs over the panels of an element: [[name, panel]]. Arrow keys go from tab to tab. */
function tabs(root, parts, chosen = () => {}) {
  const list = root.querySelector('[role="tablist"]'), bodies = root.querySelector(".bodies");
  const all = parts.map(([name, panel, count], k) => {
    const tab = make("button", "tab", name);
    if (count) tab.append(make("span", "count", count));
    tab.type = "button";
    tab.setAttribute("role", "tab");
    tab.id = `${root.id}-tab${k}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    list.append(tab);
    bodies.append(panel);
    return { tab, panel, name };
  });
  const show = (index, focus) => {
    all.forEach(({ tab, panel }, k) => {
      tab.setAttribute("aria-selected", String(k === index));
      tab.tabIndex = k === index ? 0 : -1;
      panel.hidden = k !== index;
    });
    if (focus) all[index].tab.focus();
    chosen(all[index].name);
  };
  all.forEach(({ tab }, k) => {
    tab.addEventListener("click", () => show(k));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      show((k + step + all.length) % all.length, true);
    });
  });
  show(0);
  return (name) => show(all.findIndex((one) => one.name === name));
}

/* The widths of side and desk, by pointer or arrow keys. */
function splitters(changed) {
  for (const split of document.querySelectorAll(".split")) {
    const part = document.getElementById(split.dataset.part);
    const sign = split.dataset.part === "side" ? 1 : -1;
    const resize = (width) => {
      document.body.style.setProperty(`--${split.dataset.part}`, `${clamp(width, 180, Math.max(240, innerWidth * 0.62))}px`);
      changed();
    };
    split.addEventListener("pointerdown", (event) => {
      split.setPointerCapture(event.pointerId);
      const start = event.clientX, width = part.getBoundingClientRect().width;
      split.onpointermove = (move) => resize(width + sign * (move.clientX - start));
    });
    split.addEventListener("pointerup", () => { split.onpointermove = null; });
    split.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 16, ArrowLeft: -16 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      resize(part.getBoundingClientRect().width + sign * step);
    });
  }
}

function save(name, content, type) {
  const link = make("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 4000);
}

/* A name of a file from any text. */
const fileName = (text, end) => `${text.replace(/[^A-Za-z0-9_.-]+/g, "_").slice(0, 60).replace(/^_+|_+$/g, "") || "fixstep"}.${end}`;

/* One from the names of lines: each once, without what is in brackets, two at most. */
function linesName(names) {
  const all = [...new Set(names.map((name) => name.replace(/\s*\([^()]*\)\s*$/, "").trim()))];
  return all.length > 2 ? `${all[0]}_and_${all.length - 1}_more` : all.join("_");
}
