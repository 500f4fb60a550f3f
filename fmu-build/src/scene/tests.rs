//! Tests of scenes.
