/* A page that a program serves while a model is written: it asks for a newer one, and keeps what the reader has chosen. */

const MEMORY = "fixstep-view";

/* Asks again and again; the answer comes when there is a newer page, or after a while. */
async function follow(app) {
  const { live } = app.run.text;
  let lost = false;
  for (;;) {
    try {
      const answer = await fetch(`/version?after=${live}`, { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      if (Number(await answer.text()) !== live) {
        keep(app);
        location.reload();
        return;
      }
    } catch {
      if (!lost) app.stage.notify("The program that serves this page has ended.");
      lost = true;
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

/* Where the reader looks from, and at what. */
function keep(app) {
  const { camera, chosen, tools, parts, named } = app.stage;
  const { azimuth, elevation, distance, target, flat } = camera;
  const { shape, amplitude, shapes } = app.motion;
  const kept = { camera: { azimuth, elevation, distance, target, flat }, desk: app.deskName, dark: app.dark, named, mode: tools.mode.value,
    marker: [parts.shows.marker, parts.scales.marker], shape: shapes[shape]?.name ?? null, amplitude, chosen: chosen && [chosen.kind, chosen.name] };
  sessionStorage.setItem(MEMORY, JSON.stringify(kept));
}

/* The same after the page has come anew; true if there was something to keep. */
function recall(app) {
  if (!app.run.text.live) return false;
  const text = sessionStorage.getItem(MEMORY);
  sessionStorage.removeItem(MEMORY);
  if (!text) return false;
  const { camera, desk, dark, named, mode, marker, shape, amplitude, chosen } = JSON.parse(text);
  const { stage, parts, motion } = app;
  Object.assign(stage.camera, camera);
  stage.camera.settle();
  if (app.deskNames.includes(desk)) app.showDesk(desk);
  if (dark !== app.dark) app.theme(dark);
  stage.named = named;
  stage.tools.draw(mode);
  if (parts.markers.length) {
    [parts.shows.marker] = marker;
    parts.sizeMarkers(marker[1]);
    stage.tools.showMarkers(named);
  }
  motion.amplitude = amplitude;
  const at = motion.shapes.findIndex((one) => one.name === shape);
  if (at >= 0) app.chooseShape(at);
  const item = chosen && parts.items.find((one) => one.kind === chosen[0] && one.name === chosen[1]);
  if (item) stage.choose({ item });
  // Errors are what the reader wants to see next.
  if (parts.findings.some((one) => one.grade === "error")) app.showDesk("Check");
  return true;
}
