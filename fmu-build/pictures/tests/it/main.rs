//! Tests of pictures: surfaces, cameras, rendered pixels, films, glTF, the data of a page.
#![expect(clippy::unwrap_used, reason = "tests")]

mod camera;
mod files;
mod gltf;
mod payload;
mod render;
mod solids;
mod synthetic;
