//! Control plane: how nodes of a glTF file move.

use fixstep_kernel::math::Vec3;
use serde_json::{Value, json};

use super::buffer::{Buffer, Target};
use crate::scene::Frame;

/// The motion of all nodes.
pub(super) struct Tracks<'a> {
    /// All frames.
    pub(super) film: &'a [Frame],
    /// Those whose times differ in single precision, and their times.
    keys: Vec<(usize, f32)>,
    times: Option<usize>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl<'a> Tracks<'a> {
    pub(super) fn new(film: &'a [Frame]) -> Self {
        // keys before zero are not allowed
        let start = film[0].time.min(0.0);
        let mut keys: Vec<(usize, f32)> = Vec::new();
        for (k, frame) in film.iter().enumerate() {
            let time = (frame.time - start) as f32 + 0.0;
            while keys.last().is_some_and(|last| last.1 >= time) {
                keys.pop();
            }
            keys.push((k, time));
        }
        Tracks {
            film,
            keys,
            times: None,
            samplers: Vec::new(),
            channels: Vec::new(),
        }
    }

    /// The positions of a node.
    pub(super) fn positions(
        &mut self,
        buffer: &mut Buffer,
        node: usize,
        of: impl Fn(&Frame) -> Vec3,
    ) {
        self.vectors(buffer, node, "translation", of);
    }

    /// The scales of a node.
    pub(super) fn scales(&mut self, buffer: &mut Buffer, node: usize, of: impl Fn(&Frame) -> Vec3) {
        self.vectors(buffer, node, "scale", of);
    }

    fn vectors(
        &mut self,
        buffer: &mut Buffer,
        node: usize,
        path: &str,
        of: impl Fn(&Frame) -> Vec3,
    ) {
        let values: Vec<f32> = self
            .frames()
            .flat_map(|frame| {
                let v = of(frame);
                [v[0] as f32, v[1] as f32, v[2] as f32]
            })
            .collect();
        self.channel(buffer, node, path, &values, 3);
    }

    /// The rotations of a node (w, x, y, z). Of the two quaternions of a rotation each key has the one that is nearer to the
    /// key before: the way between them is the short one.
    pub(super) fn rotations(
        &mut self,
        buffer: &mut Buffer,
        node: usize,
        mut of: impl FnMut(&Frame) -> [f64; 4],
    ) {
        let mut last = [0.0; 4];
        let values: Vec<f32> = self
            .frames()
            .flat_map(|frame| {
                let q = continued(&last, of(frame));
                last = q;
                let [w, x, y, z] = q;
                single([x, y, z, w])
            })
            .collect();
        self.channel(buffer, node, "rotation", &values, 4);
    }

    /// The weights of a node's morph targets.
    pub(super) fn weights(
        &mut self,
        buffer: &mut Buffer,
        node: usize,
        count: usize,
        of: impl Fn(&Frame) -> Vec<f64>,
    ) {
        if count > 0 {
            let values: Vec<f32> = self.frames().flat_map(of).map(|q| q as f32).collect();
            self.moved(buffer, node, "weights", &values, 1);
        }
    }

    fn frames(&self) -> impl Iterator<Item = &'a Frame> + use<'a> {
        let (film, keys) = (self.film, self.keys.clone());
        keys.into_iter().map(move |(k, _)| &film[k])
    }

    /// A channel, unless it never changes: then what the node says is enough.
    fn channel(
        &mut self,
        buffer: &mut Buffer,
        node: usize,
        path: &str,
        values: &[f32],
        group: usize,
    ) {
        let same = values.chunks(group).all(|value| value == &values[..group]);
        if !same {
            self.moved(buffer, node, path, values, group);
        }
    }

    fn moved(
        &mut self,
        buffer: &mut Buffer,
        node: usize,
        path: &str,
        values: &[f32],
        group: usize,
    ) {
        let times = *self.times.get_or_insert_with(|| {
            let times: Vec<f32> = self.keys.iter().map(|key| key.1).collect();
            buffer.floats(&times, 1, Target::Animation, true)
        });
        let output = buffer.floats(values, group, Target::Animation, false);
        self.channels
            .push(json!({"sampler": self.samplers.len(), "target": {"node": node, "path": path}}));
        self.samplers
            .push(json!({"input": times, "output": output, "interpolation": "LINEAR"}));
    }

    /// The animation, if anything moves.
    pub(super) fn finish(self, name: &str) -> Option<Value> {
        if self.channels.is_empty() {
            return None;
        }
        Some(json!({"name": name, "samplers": self.samplers, "channels": self.channels}))
    }
}

/// A quaternion or its negative: the one that is nearer to another.
pub(crate) fn continued(last: &[f64; 4], q: [f64; 4]) -> [f64; 4] {
    let dot: f64 = (0..4).map(|k| last[k] * q[k]).sum();
    if dot < 0.0 { q.map(|x| -x) } else { q }
}

/// A quaternion of length 1 in single precision; without a length it is no rotation.
pub(super) fn single([x, y, z, w]: [f64; 4]) -> [f32; 4] {
    let length = (x * x + y * y + z * z + w * w).sqrt();
    if length > 0.0 {
        [x, y, z, w].map(|c| (c / length) as f32)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}
