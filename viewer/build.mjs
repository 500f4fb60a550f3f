// Bundles third-party code for the page: `npm run build`. The same lock file gives the same bytes.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const here = (file) => new URL(file, import.meta.url).pathname;

/* What the page never uses of the renderer: shaders of other materials, headsets, and light from pictures. */
const NOTHING = "export const vertex = ''; export const fragment = '';";
const LEFT_OUT = {
  "webxr/WebXRManager.js": `import { EventDispatcher } from "../../core/EventDispatcher.js";
    export class WebXRManager extends EventDispatcher { enabled = false; isPresenting = false; setAnimationLoop() {} dispose() {}
      getEnvironmentBlendMode() { return null; } getDepthSensingMesh() { return null; } hasDepthSensing() { return false; } }`,
  "webgl/WebGLEnvironments.js": "export class WebGLEnvironments { get() { return null; } dispose() {} }",
};
const MATERIALS = /ShaderLib\/(background|backgroundCube|cube|distance|equirect|linedashed|meshlambert|meshmatcap|meshnormal|meshphong|meshtoon|points|sprite|vsm)\.glsl\.js$/;
const CHUNKS = /ShaderChunk\/(transmission_|iridescence_|lightprobes_|lights_(phong|toon|lambert)|cube_uv_|clearcoat_|gradientmap_|parallax|skinning_|morph|envmap_|skinbase|skinnormal|displacementmap_|bumpmap_)\w*\.glsl\.js$/;

/* Comments and indentation of shaders go; a shader is a text, so esbuild leaves it as it is. */
function shorter(text) {
  return text
    .replace(/\/\*(?!\s*glsl)[\s\S]*?\*\//g, "")
    .replace(/(^|\s)\/\/.*$/gm, "$1")
    .replace(/^[ \t]+|[ \t]+$/gm, "")
    .replace(/\n{2,}/g, "\n");
}

const less = {
  name: "less",
  setup(bundle) {
    // The modules of three one by one, so that what is not used stays out.
    bundle.onResolve({ filter: /^three$/ }, () => ({ path: here("node_modules/three/src/Three.js"), sideEffects: false }));
    bundle.onLoad({ filter: /three.src.renderers.*\.js$/ }, ({ path }) => {
      const name = path.replaceAll("\\", "/");
      const instead = Object.entries(LEFT_OUT).find(([end]) => name.endsWith(end))?.[1];
      if (instead) return { contents: instead, loader: "js", resolveDir: path.replace(/[^\\/]*$/, "") };
      if (MATERIALS.test(name)) return { contents: NOTHING, loader: "js" };
      if (CHUNKS.test(name)) return { contents: "export default '';", loader: "js" };
      return name.endsWith(".glsl.js") ? { contents: shorter(readFileSync(path, "utf8")), loader: "js" } : undefined;
    });
  },
};

// The licences of what is bundled: the page shows them, and they stand beside the bundle.
const licences = ["three", "uplot"].map((name) => {
  const read = (file) => readFileSync(here(`node_modules/${name}/${file}`), "utf8");
  const { version, license, homepage } = JSON.parse(read("package.json"));
  return `${name} ${version} (${license}) ${homepage ?? ""}\n\n${read("LICENSE").trim()}\n`;
});
const legal = licences.join(`\n${"-".repeat(72)}\n\n`);

const { metafile } = await build({
  entryPoints: [here("vendor.js")], outfile: here("../target/viewer/vendor.js"), bundle: true, minify: true, format: "iife", target: "es2022",
  legalComments: "none", logLevel: "warning", plugins: [less], metafile: true,
  banner: { js: `globalThis.FIXSTEP_LEGAL=${JSON.stringify(legal)};` },
});
if (process.argv.includes("--sizes")) {
  const [{ inputs }] = Object.values(metafile.outputs);
  for (const [name, { bytesInOutput }] of Object.entries(inputs).sort((a, b) => b[1].bytesInOutput - a[1].bytesInOutput)) console.log(bytesInOutput, name);
}

mkdirSync(here("../target/viewer"), { recursive: true });
writeFileSync(here("../target/viewer/LEGAL.txt"), legal);
