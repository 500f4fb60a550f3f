//! Control plane: MCAP, the container of messages of robotics (Foxglove, PlotJuggler): one channel whose messages are rows
//! of the table as JSON, with a schema that tells the units.
//!
//! Source: MCAP format specification, version 0 (mcap.dev/spec). Records are an operation code, the length of what follows
//! in eight bytes, and that; numbers are little-endian; a text has its length before it. Chunks are not compressed.

use serde_json::{Map, Value, json};

use super::Recording;
use crate::slave::Failure;

const MAGIC: [u8; 8] = [0x89, b'M', b'C', b'A', b'P', b'0', b'\r', b'\n'];
/// Operation codes of records.
const HEADER: u8 = 0x01;
const FOOTER: u8 = 0x02;
const SCHEMA: u8 = 0x03;
const CHANNEL: u8 = 0x04;
const MESSAGE: u8 = 0x05;
const CHUNK: u8 = 0x06;
const MESSAGE_INDEX: u8 = 0x07;
const CHUNK_INDEX: u8 = 0x08;
const STATISTICS: u8 = 0x0b;
const DATA_END: u8 = 0x0f;
/// The number of the only schema, which may not be zero, and of the only channel.
const SCHEMA_ID: u16 = 1;
const CHANNEL_ID: u16 = 1;
/// Bytes of a chunk, after which the next one begins: readers hold a whole chunk.
const CHUNK_BYTES: usize = 1 << 20;
/// Nanoseconds of a second, in which messages count time.
const NANOSECONDS: f64 = 1e9;
/// The latest time \[s\]: that of 2⁶³ ns, some three hundred years.
const LATEST: f64 = 9.2e9;

/// The content of a record.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u16(mut self, x: u16) -> Self {
        self.0.extend(x.to_le_bytes());
        self
    }

    fn u32(mut self, x: u32) -> Self {
        self.0.extend(x.to_le_bytes());
        self
    }

    fn u64(mut self, x: u64) -> Self {
        self.0.extend(x.to_le_bytes());
        self
    }

    /// Bytes with their number before them.
    fn block(mut self, bytes: &[u8]) -> Self {
        self = self.u32(bytes.len() as u32);
        self.0.extend(bytes);
        self
    }

    fn text(self, text: &str) -> Self {
        self.block(text.as_bytes())
    }

    /// Bytes alone.
    fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }
}

fn record(out: &mut Vec<u8>, code: u8, content: &Bytes) {
    out.push(code);
    out.extend((content.0.len() as u64).to_le_bytes());
    out.extend(&content.0);
}

/// A chunk that grows: messages with their times and places.
#[derive(Default)]
struct Chunk {
    records: Vec<u8>,
    index: Vec<(u64, u64)>,
}

/// What the summary tells of a chunk.
struct Written {
    times: [u64; 2],
    /// Where it begins, and its length.
    place: [u64; 2],
    /// Where its index begins, and the length of that.
    index: [u64; 2],
    /// Of its records.
    size: u64,
}

impl Chunk {
    /// Writes it with its index.
    fn write(self, out: &mut Vec<u8>) -> Written {
        let time = |of: Option<&(u64, u64)>| of.map_or(0, |(time, _)| *time);
        let times = [time(self.index.first()), time(self.index.last())];
        let size = self.records.len() as u64;
        let from = out.len() as u64;
        // a checksum of 0 is none
        let content = Bytes::default()
            .u64(times[0])
            .u64(times[1])
            .u64(size)
            .u32(0);
        let content = content.text("").u64(size).raw(&self.records);
        record(out, CHUNK, &content);
        let between = out.len() as u64;
        let entries = self
            .index
            .iter()
            .fold(Bytes::default(), |all, (time, at)| all.u64(*time).u64(*at));
        let index = Bytes::default().u16(CHANNEL_ID).block(&entries.0);
        record(out, MESSAGE_INDEX, &index);
        Written {
            times,
            place: [from, between - from],
            index: [between, out.len() as u64 - between],
            size,
        }
    }
}

impl Recording<'_> {
    /// The file.
    pub fn mcap(&self) -> Result<Vec<u8>, Failure> {
        let mut out = MAGIC.to_vec();
        let library = concat!("fixstep ", env!("CARGO_PKG_VERSION"));
        record(&mut out, HEADER, &Bytes::default().text("").text(library));
        let mut described = Vec::new();
        record(&mut described, SCHEMA, &self.schema());
        record(&mut described, CHANNEL, &self.channel());
        out.extend(&described);
        let mut chunks = Vec::new();
        let mut chunk = Chunk::default();
        let rows = self.table.columns.first().map_or(0, Vec::len);
        for row in 0..rows {
            let time = self.nanoseconds(row)?;
            chunk.index.push((time, chunk.records.len() as u64));
            let text = serde_json::to_string(&self.row(row)).map_err(|e| Failure(e.to_string()))?;
            // sequence numbers, and the times at which it is logged and published
            let content = Bytes::default().u16(CHANNEL_ID).u32(row as u32);
            let content = content.u64(time).u64(time).raw(text.as_bytes());
            record(&mut chunk.records, MESSAGE, &content);
            if chunk.records.len() >= CHUNK_BYTES || row + 1 == rows {
                chunks.push(std::mem::take(&mut chunk).write(&mut out));
            }
        }
        record(&mut out, DATA_END, &Bytes::default().u32(0));
        let summary = out.len() as u64;
        out.extend(described);
        for chunk in &chunks {
            record(&mut out, CHUNK_INDEX, &index(chunk));
        }
        record(&mut out, STATISTICS, &statistics(&chunks, rows as u64));
        record(
            &mut out,
            FOOTER,
            &Bytes::default().u64(summary).u64(0).u32(0),
        );
        out.extend(MAGIC);
        Ok(out)
    }

    /// The time of a row.
    fn nanoseconds(&self, row: usize) -> Result<u64, Failure> {
        let time = self.table.columns[0][row];
        if (0.0..LATEST).contains(&time) {
            return Ok((time * NANOSECONDS).round() as u64);
        }
        Err(Failure(format!(
            "MCAP counts nanoseconds from 0, and a row is at {time} s; valid: a run between 0 and {LATEST:e} s \
             (--start-time), or .csv or .npz"
        )))
    }

    /// A row as an object. JSON has no number that is not finite.
    fn row(&self, row: usize) -> Value {
        let numbers = self.table.names.iter().zip(&self.table.columns);
        let numbers = numbers.map(|(name, column)| (name.clone(), json!(column[row])));
        let texts = self.table.texts.iter();
        let texts = texts.map(|column| (column.name.clone(), json!(column.rows[row])));
        Value::Object(numbers.chain(texts).collect::<Map<_, _>>())
    }

    fn schema(&self) -> Bytes {
        let number = |(name, unit): (&String, &String)| {
            let mut of = Map::from_iter([("type".to_owned(), json!(["number", "null"]))]);
            if !unit.is_empty() {
                of.insert("description".to_owned(), json!(format!("[{unit}]")));
                of.insert("unit".to_owned(), json!(unit));
            }
            (name.clone(), Value::Object(of))
        };
        let numbers = self.table.names.iter().zip(self.units).map(number);
        let text = |name: &String| (name.clone(), json!({"type": "string"}));
        let texts = self.table.texts.iter().map(|column| text(&column.name));
        let properties = Value::Object(numbers.chain(texts).collect::<Map<_, _>>());
        let schema = json!({"type": "object", "title": self.title, "properties": properties});
        let content = Bytes::default().u16(SCHEMA_ID).text(self.title);
        content.text("jsonschema").text(&schema.to_string())
    }

    fn channel(&self) -> Bytes {
        let known = self.table.names.iter().zip(self.units);
        let units = known.filter(|(_, unit)| !unit.is_empty());
        let units = units.fold(Bytes::default(), |all, (name, unit)| {
            all.text(name).text(unit)
        });
        let content = Bytes::default().u16(CHANNEL_ID).u16(SCHEMA_ID);
        let content = content.text(&format!("/{}", self.title)).text("json");
        content.block(&units.0)
    }
}

fn index(chunk: &Written) -> Bytes {
    let offsets = Bytes::default().u16(CHANNEL_ID).u64(chunk.index[0]);
    let content = Bytes::default().u64(chunk.times[0]).u64(chunk.times[1]);
    let content = content.u64(chunk.place[0]).u64(chunk.place[1]);
    let content = content.block(&offsets.0).u64(chunk.index[1]);
    content.text("").u64(chunk.size).u64(chunk.size)
}

fn statistics(chunks: &[Written], rows: u64) -> Bytes {
    let first = chunks.first().map_or(0, |chunk| chunk.times[0]);
    let last = chunks.last().map_or(0, |chunk| chunk.times[1]);
    let counts = Bytes::default().u16(CHANNEL_ID).u64(rows);
    // schemas, channels, attachments, metadata, chunks
    let content = Bytes::default().u64(rows).u16(1).u32(1).u32(0).u32(0);
    let content = content.u32(chunks.len() as u32).u64(first).u64(last);
    content.block(&counts.0)
}
