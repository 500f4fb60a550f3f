/* The toolbar of the view. */

class Tools {
  constructor(stage) {
    this.stage = stage;
    this.root = document.getElementById("tools");
    // Arrows start within what touches, or within links; many of them would hide the mechanism.
    this.inFront = stage.parts.arrows.filter(({ arrow }) => !arrow.reaction && arrow.kind === "force").length <= 16;
    const { app, parts, camera } = stage;
    const draw = () => app.draw();
    const views = chooser("Standard view", [["", "View"], ["iso", "Isometric"], ["front", "Front"], ["back", "Back"], ["left", "Left"],
      ["right", "Right"], ["top", "Top"], ["bottom", "Bottom"]], "", (name) => {
      if (name) this.look(name);
      views.value = "";
    });
    const fit = button("Frame the chosen part, or all", { sign: "fit", act: () => stage.fitChosen(), key: "F" });
    this.flat = button("Perspective or orthographic", { text: "Perspective", key: "O", act: () => this.toggleFlat() });
    this.flat.id = "flat";
    this.mode = chooser("How solids are drawn", [["solid", "Solid"], ["clear", "Transparent"], ["wire", "Wireframe"]], "solid", (value) => this.draw(value));
    const bodies = stage.run.text.bodies.map((body, k) => [String(k), k ? body.name : "Follow nothing"]);
    this.follow = chooser("Body that the camera follows", bodies, String(stage.follow), (value) => stage.followBody(Number(value)));
    this.heading = check("Camera turns with the body", false, (on) => stage.followBody(stage.follow, on ? "heading" : "position"));
    this.root.append(fit, views, this.flat, this.mode, ...((stage.run.text.kind ?? "run") === "run" ? [this.follow] : []), this.makeShow(draw));
    const small = parts.motion.shapes.some((shape) => shape.small);
    if (parts.softs.length || small) this.root.append(this.makeSoft(draw, small));
    if (parts.markers.length) this.root.append(this.makeMarkers(draw));
    this.root.append(button("Save the picture as PNG", { sign: "save", act: () => savePicture(app) }));
    this.camera = camera;
    this.stage.view.setFront(this.inFront);
  }

  look(name) {
    this.stage.camera.heading = 0;
    this.stage.camera.look(name);
    this.stage.fit();
  }

  toggleFlat() {
    const { camera, app } = this.stage;
    camera.flat = !camera.flat;
    camera.settle();
    this.flat.querySelector("span").textContent = camera.flat ? "Orthographic" : "Perspective";
    app.draw();
  }

  draw(mode) {
    const { stage } = this;
    this.mode.value = mode;
    stage.parts.clear = mode === "clear";
    stage.view.setWire(mode === "wire");
    stage.view.paint();
    stage.app.draw();
  }

  /* What is shown besides bodies, and the sizes of arrows. */
  makeShow(draw) {
    const { parts } = this.stage;
    const kinds = { ghost: "Where it rests", force: "Forces", torque: "Torques", reaction: "Reactions of joints and motions", joint: "Joints", link: "Springs, dampers, ropes" };
    const has = (kind) => parts.arrows.some(({ arrow }) => (arrow.reaction ? kind === "reaction" : arrow.kind === kind));
    const present = Object.keys(kinds).filter((kind) => (kind === "ghost" ? parts.ghosted : kind === "joint" ? parts.joints.length : kind === "link" ? parts.links.length : has(kind)));
    const boxes = present.map((kind) => check(kinds[kind], parts.shows[kind], (on) => {
      parts.shows[kind] = on;
      // Those of joints start within their links.
      if (kind === "reaction" && on && !this.inFront) front.querySelector("input").click();
      draw();
    }));
    const sliders = ["force", "torque"].filter((kind) => parts.arrows.some(({ arrow }) => arrow.kind === kind)).map((kind) =>
      powerSlider(kind === "force" ? "Size of forces" : "Size of torques", [0.1, 10], 1, (value) => {
        parts.scales[kind] = value;
        draw();
      }));
    const front = check("Arrows in front", this.inFront, (on) => {
      this.inFront = on;
      this.stage.view.setFront(on || parts.shows.marker);
      draw();
    });
    const inertia = chooser("Bodies of uniform density with the same inertia", [["none", "Not shown"], ["ellipsoids", "Ellipsoids"], ["boxes", "Boxes"]], "none", (value) => {
      parts.shows.inertia = value;
      parts.update();
      this.stage.view.paint();
      draw();
    });
    const inertias = make("label", "slider");
    inertias.append(make("span", "", "Inertia"), inertia);
    this.untrace = button("Remove traces", { text: "Remove traces", act: () => {
      parts.traces.length = 0;
      this.show();
      draw();
    } });
    this.untrace.hidden = true;
    const names = check("Names of bodies", Boolean(this.stage.titled), (on) => {
      this.stage.titled = on;
      draw();
    });
    return popover("Show", "eye", [...boxes, names, ...(parts.inertias.length ? [inertias] : []), ...sliders, ...(parts.arrows.length ? [front] : []), ...(parts.motion.shapes.length ? [] : [this.heading]), this.untrace]);
  }

  /* Markers: shown or not, the size of their axes, their names. */
  makeMarkers(draw) {
    const { parts, view } = this.stage;
    this.markerShown = check("Axes of markers", parts.shows.marker, (on) => {
      parts.shows.marker = on;
      view.setFront(on || this.inFront);
      draw();
    });
    this.markerNames = check("Names of markers", Boolean(this.stage.named), (on) => {
      this.stage.named = on;
      draw();
    });
    this.markerSize = powerSlider("Size of axes", [0.1, 10], 1, (value) => {
      parts.sizeMarkers(value);
      draw();
    });
    return popover("Markers", "axes", [this.markerShown, this.markerNames, this.markerSize]);
  }

  /* The state of the controls of markers, after it was set otherwise. */
  showMarkers(named) {
    const { parts, view } = this.stage;
    this.markerShown.querySelector("input").checked = parts.shows.marker;
    this.markerNames.querySelector("input").checked = Boolean(named);
    const slider = this.markerSize.querySelector("input");
    slider.value = Math.log10(parts.scales.marker);
    this.markerSize.querySelector("output").textContent = `${readable(parts.scales.marker, 3)}×`;
    view.setFront(parts.shows.marker || this.inFront);
  }

  /* Factor of the deformation and what colours bodies. */
  makeSoft(draw, small) {
    const { parts } = this.stage;
    const options = [["none", "Own colour"], ["displacement", small ? "Displacement" : "Deformation"]];
    if (parts.softs.some((soft) => soft.stresses)) options.push(["stress", "Von Mises stress"]);
    const paint = (kind) => {
      parts.coloring = kind;
      this.coloring.value = kind;
      if (small) parts.chooseShape(parts.motion.shape, parts.motion.amplitude);
      parts.findMost();
      this.stage.view.paint();
      this.makeLegend();
      draw();
    };
    this.paint = paint;
    const scale = powerSlider("Deformation", [1, 1000], 1, (value) => {
      parts.deformation = value;
      draw();
    });
    this.coloring = chooser(small ? "What colours stand for" : "Colour of flexible bodies", options, "none", paint);
    const row = make("label", "slider");
    row.append(make("span", "", "Colour"), this.coloring);
    return small ? popover("Colour", "gear", [row]) : popover("Flexible", "gear", [row, scale]);
  }

  makeLegend() {
    const box = document.getElementById("legend");
    const { parts, run } = this.stage;
    box.hidden = parts.coloring === "none";
    if (box.hidden) return;
    const length = run.text.length ?? { unit: "m", factor: 1 };
    // The size of a small shape says nothing: only its parts compare. Of a run, points move in the body's own frame.
    const relative = Boolean(parts.motion.shapes[parts.motion.shape]?.small);
    const small = length.unit === "m" && parts.fieldMost < 0.1;
    const [title, unitText, factor] = parts.coloring === "stress" ? ["Von Mises stress", "MPa", 1e6]
      : [relative ? "Displacement" : "Deformation", ...(small ? ["mm", 1e-3] : [length.unit, length.factor])];
    const bar = make("div", "bar");
    bar.style.background = `linear-gradient(to top, ${VIRIDIS.join()})`;
    const marks = make("ol");
    for (let k = 4; k >= 0; k -= 1) marks.append(make("li", "", relative ? `${25 * k} %` : readable((parts.fieldMost * k) / 4 / factor, 3)));
    const row = make("div", "row");
    row.append(bar, marks);
    box.replaceChildren(make("strong", "", title), make("span", "", relative ? "of the largest" : unitText), row, make("small", "", relative ? "" : parts.coloring === "stress" ? "range of the whole run" : "in the body's frame; range of the whole run"));
  }

  show() {
    this.follow.value = String(this.stage.follow);
    this.untrace.hidden = this.stage.parts.traces.length === 0;
  }
}

/* The picture with its background. */
function savePicture(app) {
  const { stage } = app;
  stage.draw();
  const copy = make("canvas");
  Object.assign(copy, { width: stage.canvas.width, height: stage.canvas.height });
  const context = copy.getContext("2d");
  context.fillStyle = getComputedStyle(document.body).getPropertyValue("--sky").trim() || "#ffffff";
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(stage.canvas, 0, 0);
  copy.toBlob((blob) => save(fileName(`${app.run.text.title}_${readable(app.clock.now, 6)}`, "png"), blob));
}
