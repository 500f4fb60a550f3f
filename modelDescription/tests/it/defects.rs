//! Injected defects.
