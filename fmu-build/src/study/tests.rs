//! Control plane: tests of studies.
