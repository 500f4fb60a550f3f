// Writes the licences of the bundled packages beside the bundle.
import { readFileSync, writeFileSync } from "node:fs";

const parts = ["three", "uplot"].map((name) => {
  const read = (file) => readFileSync(new URL(`node_modules/${name}/${file}`, import.meta.url), "utf8");
  const { version, license, homepage } = JSON.parse(read("package.json"));
  return `${name} ${version} (${license}) ${homepage ?? ""}\n\n${read("LICENSE").trim()}\n`;
});
writeFileSync(new URL("../target/viewer/LEGAL.txt", import.meta.url), parts.join(`\n${"-".repeat(72)}\n\n`));
