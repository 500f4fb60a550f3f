//! Control plane: where elements with a memory keep their numbers, and what they evaluate.

use crate::ids::{ExprId, ValueId};
use crate::mechanism::{Comparison, Held, Leaf, Mechanism, SampledLaw};
use crate::system::schedule::{List, Node};
use alloc::vec;
use alloc::vec::Vec;

/// Elements with a memory as the step needs them. Places count within the span of the layout.
#[derive(Clone, Debug, Default)]
pub struct MemoryEntries {
    /// Sampled systems.
    pub sampled: Vec<SampledEntry>,
    /// Sensors.
    pub sensors: Vec<SensorEntry>,
    /// Delays.
    pub delays: Vec<DelayEntry>,
    /// Leaves that read a held number, each with its place.
    pub leaves: Vec<(usize, usize)>,
    /// How many numbers there are.
    pub len: usize,
}

/// A sampled system. Its numbers: that of the next sample, then inputs, states, next states, outputs.
#[derive(Clone, Debug)]
pub struct SampledEntry {
    /// Sample period \[s\].
    pub period: f64,
    /// First sample after the start \[s\].
    pub offset: f64,
    /// Where its numbers begin.
    pub first: usize,
    /// How many inputs, states and outputs.
    pub sizes: [usize; 3],
    /// Inputs.
    pub inputs: Vec<ExprId>,
    /// Initial states in the table of numbers.
    pub initial: usize,
    /// What a sample does.
    pub law: LawEntry,
    /// Leaves that read its inputs and states, each with its place among its own numbers.
    pub own: Vec<(usize, usize)>,
    /// What the inputs need, in order, the inputs included.
    pub before: Vec<Node>,
    /// What next states and outputs need.
    pub after: Vec<Node>,
}

/// What a sample does.
#[derive(Clone, Debug)]
pub enum LawEntry {
    /// A, B, C, D in the table of numbers.
    Linear([usize; 4]),
    /// Next states and outputs.
    Expressions(Vec<ExprId>, Vec<ExprId>),
}

/// A sensor. Its numbers: armed, what SENVAL reads, how often it has triggered, and by how much the
/// threshold was exceeded at the last step.
#[derive(Clone, Debug)]
pub struct SensorEntry {
    /// What is watched.
    pub expression: ExprId,
    /// When it triggers.
    pub comparison: Comparison,
    /// Threshold and tolerance in the table of numbers.
    pub numbers: usize,
    /// What SENVAL reads after it has triggered.
    pub evaluate: Option<ExprId>,
    /// Hysteresis in the table of numbers, and whether SENVAL returns to zero.
    pub rearm: Option<(usize, bool)>,
    /// Does the run end?
    pub stop: bool,
    /// Where its numbers begin.
    pub first: usize,
    /// What it needs, in order.
    pub nodes: Vec<Node>,
}

/// A delay. Its numbers, within the span of delays: the longest delay \[s\], how many points it holds,
/// which of them is the newest, and the points: time \[s\] and value.
#[derive(Clone, Debug)]
pub struct DelayEntry {
    /// What is delayed.
    pub value: ExprId,
    /// By how much.
    pub delay: ExprId,
    /// What it was before the start.
    pub history: ExprId,
    /// The longest delay.
    pub longest: ExprId,
    /// Seconds per user time unit.
    pub time_unit: f64,
    /// The leaf of time that the history reads, and its place among the leaves of the history.
    pub time_leaf: Option<(usize, usize)>,
    /// Where its numbers begin.
    pub first: usize,
    /// Room for so many points.
    pub capacity: usize,
    /// What the value needs, in order, itself included.
    pub nodes: Vec<Node>,
}

/// Numbers of a delay before its points.
pub const DELAY_HEAD: usize = 3;

/// Points of a delay beyond those that its longest delay spans: so many take part in the interpolation.
pub const DELAY_MARGIN: usize = 6;

impl DelayEntry {
    /// How many numbers it has.
    pub fn numbers(&self) -> usize {
        DELAY_HEAD + 2 * self.capacity
    }
}

/// Numbers of a sensor.
pub const SENSOR: usize = 4;

impl MemoryEntries {
    /// Does anything read what is held or delayed?
    pub fn is_read(&self) -> bool {
        !self.leaves.is_empty() || !self.delays.is_empty()
    }
}

impl SampledEntry {
    /// Where inputs, states, next states and outputs begin.
    pub fn places(&self) -> [usize; 4] {
        let [inputs, states, _] = self.sizes;
        let first = self.first + 1;
        let next = first + inputs + states;
        [first, first + inputs, next, next + states]
    }

    /// How many numbers it has.
    pub fn numbers(&self) -> usize {
        let [inputs, states, outputs] = self.sizes;
        1 + inputs + 2 * states + outputs
    }
}

impl MemoryEntries {
    /// The entries of a model; `push` puts numbers of elements into their table and says where they
    /// begin.
    pub fn new(mechanism: &Mechanism, mut push: impl FnMut(&[ValueId]) -> usize) -> Self {
        let mut entries = Self::default();
        for system in &mechanism.memory.sampled {
            let entry = SampledEntry {
                period: system.period,
                offset: system.offset,
                first: entries.len,
                sizes: [system.inputs.len(), system.initial.len(), system.outputs],
                inputs: system.inputs.clone(),
                initial: push(&system.initial),
                law: match &system.law {
                    SampledLaw::Linear { a, b, c, d } => {
                        LawEntry::Linear([a, b, c, d].map(|matrix| push(matrix)))
                    }
                    SampledLaw::Expressions { next, outputs } => {
                        LawEntry::Expressions(next.clone(), outputs.clone())
                    }
                },
                own: Vec::new(),
                before: Vec::new(),
                after: Vec::new(),
            };
            entries.len += entry.numbers();
            entries.sampled.push(entry);
        }
        for sensor in &mechanism.memory.sensors {
            entries.sensors.push(SensorEntry {
                expression: sensor.expression,
                comparison: sensor.comparison,
                numbers: push(&[sensor.value, sensor.tolerance]),
                evaluate: sensor.evaluate,
                rearm: sensor.rearm.map(|r| (push(&[r.hysteresis]), r.reset)),
                stop: sensor.stop,
                first: entries.len,
                nodes: Vec::new(),
            });
            entries.len += SENSOR;
        }
        entries.delays = delays(mechanism);
        for (k, leaf) in mechanism.leaves.iter().enumerate() {
            let Leaf::Held(held) = *leaf else { continue };
            let place = entries.place(held);
            entries.leaves.push((k, place));
            if let Held::Input(system, _) | Held::State(system, _) = held {
                let entry = &mut entries.sampled[system.index()];
                entry.own.push((k, place - entry.first));
            }
        }
        entries
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len == 0 && self.delays.is_empty()
    }

    /// Gives delays room for so many points each; says how many numbers that takes.
    pub fn resize_delays(&mut self, capacities: &[usize]) -> usize {
        let mut next = 0;
        for (delay, capacity) in self.delays.iter_mut().zip(capacities) {
            delay.first = next;
            delay.capacity = *capacity;
            next += delay.numbers();
        }
        next
    }

    /// Where a held number lives.
    pub fn place(&self, held: Held) -> usize {
        let sampled =
            |system: usize, part: usize, k: u32| self.sampled[system].places()[part] + k as usize;
        match held {
            Held::Input(system, k) => sampled(system.index(), 0, k),
            Held::State(system, k) => sampled(system.index(), 1, k),
            Held::Output(system, k) => sampled(system.index(), 3, k),
            Held::Sensor(sensor) => self.sensors[sensor.index()].first + 1,
            Held::Count(sensor) => self.sensors[sensor.index()].first + 2,
        }
    }

    /// The expressions that are evaluated at accepted steps, list by list: what a list may be filled
    /// with is for the schedule to say.
    pub fn lists(&mut self) -> Vec<List<'_>> {
        let mut lists = Vec::new();
        for entry in &mut self.sampled {
            lists.push((entry.inputs.clone(), &mut entry.before));
            if let LawEntry::Expressions(next, outputs) = &entry.law {
                let both = next.iter().chain(outputs).copied().collect();
                lists.push((both, &mut entry.after));
            }
        }
        for entry in &mut self.sensors {
            let both = [Some(entry.expression), entry.evaluate];
            lists.push((both.into_iter().flatten().collect(), &mut entry.nodes));
        }
        for entry in &mut self.delays {
            lists.push((vec![entry.value], &mut entry.nodes));
        }
        lists
    }
}

fn delays(mechanism: &Mechanism) -> Vec<DelayEntry> {
    let time = |expr: ExprId| {
        let mut leaves = mechanism.expressions[expr.index()].leaves().iter().zip(0..);
        let found = leaves.find(|(l, _)| matches!(mechanism.leaves[l.index()], Leaf::Time { .. }));
        found.map(|(leaf, place)| (leaf.index(), place))
    };
    let entry = |(k, delay): (usize, &crate::mechanism::Delay)| DelayEntry {
        value: delay.value,
        delay: delay.delay,
        history: delay.history,
        longest: delay.longest,
        time_unit: mechanism.units.time.factor,
        time_leaf: time(delay.history),
        first: k * (DELAY_HEAD + 2 * DELAY_MARGIN),
        capacity: DELAY_MARGIN,
        nodes: Vec::new(),
    };
    mechanism
        .memory
        .delays
        .iter()
        .enumerate()
        .map(entry)
        .collect()
}
