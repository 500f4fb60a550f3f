// Third-party code of the page: only what the page uses, as two globals. Bundled by esbuild, see README.md.
import {
  BatchedMesh, BufferAttribute, BufferGeometry, Color, DataTexture, DirectionalLight, DoubleSide, FloatType, HemisphereLight,
  Matrix4, Mesh, MeshDepthMaterial, MeshStandardMaterial, NeutralToneMapping, OrthographicCamera, PCFShadowMap, PerspectiveCamera,
  Plane, PlaneGeometry, RGBAFormat, SRGBColorSpace, Scene, ShaderMaterial, ShadowMaterial, Vector2, Vector3, Vector4, WebGLRenderTarget, WebGLRenderer,
} from "three";
import uPlot from "uplot";

globalThis.THREE = {
  BatchedMesh, BufferAttribute, BufferGeometry, Color, DataTexture, DirectionalLight, DoubleSide, FloatType, HemisphereLight,
  Matrix4, Mesh, MeshDepthMaterial, MeshStandardMaterial, NeutralToneMapping, OrthographicCamera, PCFShadowMap, PerspectiveCamera,
  Plane, PlaneGeometry, RGBAFormat, SRGBColorSpace, Scene, ShaderMaterial, ShadowMaterial, Vector2, Vector3, Vector4, WebGLRenderTarget, WebGLRenderer,
};
globalThis.uPlot = uPlot;
