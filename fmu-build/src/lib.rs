//! Packaging.
