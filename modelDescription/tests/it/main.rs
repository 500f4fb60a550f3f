//! Descriptions as a whole: golden files, round trips, schemas, injected defects.

mod defects;
mod examples;
mod golden;
mod own;
mod sample;
mod schema;
