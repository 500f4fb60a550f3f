// Third-party code of the page: only what the page uses, as two globals. Bundled by esbuild, see README.md.
import {
  BatchedMesh, BufferAttribute, BufferGeometry, Color, DataTexture, DirectionalLight, DoubleSide, FloatType, HemisphereLight,
  Matrix4, Mesh, MeshDepthMaterial, MeshStandardMaterial, NeutralToneMapping, OrthographicCamera, PCFShadowMap, PerspectiveCamera,
  PlaneGeometry, RGBAFormat, SRGBColorSpace, Scene, ShaderMaterial, ShadowMaterial, Vector2, Vector4, WebGLRenderer,
} from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import uPlot from "uplot";

globalThis.THREE = {
  BatchedMesh, BufferAttribute, BufferGeometry, Color, DataTexture, DirectionalLight, DoubleSide, FloatType, HemisphereLight,
  Matrix4, Mesh, MeshDepthMaterial, MeshStandardMaterial, NeutralToneMapping, OrthographicCamera, PCFShadowMap, PerspectiveCamera,
  PlaneGeometry, RGBAFormat, SRGBColorSpace, Scene, ShaderMaterial, ShadowMaterial, Vector2, Vector4, WebGLRenderer,
  Line2, LineGeometry, LineMaterial,
};
globalThis.uPlot = uPlot;
