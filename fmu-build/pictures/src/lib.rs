//! Control plane: solid bodies that move, without a screen: the surfaces of shapes, a picture of a scene, films, glTF,
//! and the scene of a page.
//!
//! Reading order: [`scene`] (what is drawn, as plain data), [`solids`] (surfaces of shapes), [`skin`] (those that bend), and what comes of a scene.
//! The crate knows no model and no solver; whoever runs a mechanism fills a [`scene::Scene`] and a [`scene::Film`].

pub mod camera;
pub mod files;
pub mod gltf;
pub mod letters;
pub mod motion;
pub mod page;
pub mod payload;
pub mod picture;
pub mod render;
pub mod scene;
pub mod skin;
pub mod solids;
