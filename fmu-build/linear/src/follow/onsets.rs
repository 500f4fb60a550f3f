//! Finds where modes begin and cease to grow.

use super::events::{Event, Kind, Range};
use super::pin::Pinned;
use super::{Follower, Station};
use crate::eigen::Root;

/// A real part below this fraction of a root counts as zero.
const NONE: f64 = 1e-9;

/// A change between a station and the next.
#[derive(Clone, Copy)]
enum Change {
    /// A mode begins to grow, or first appears and grows.
    Begins(Option<usize>, usize),
    /// A mode ceases to grow.
    Ceases(usize, usize),
    /// A real mode that grows becomes part of a pair.
    Joins,
}

/// A change of a track behind a station.
#[derive(Clone, Copy)]
struct Turn {
    track: usize,
    station: usize,
    change: Change,
}

impl<E> Follower<'_, E> {
    /// Finds where modes begin and cease to grow; `merges` are the places where two modes merge or one splits.
    pub(super) fn onsets(&mut self, merges: &[Event]) -> Result<(Vec<Event>, Vec<Range>), E> {
        let turns: Vec<Turn> = (0..self.tracks.len())
            .flat_map(|track| self.turns(track))
            .collect();
        let (mut events, mut ranges) = (Vec::new(), Vec::new());
        let mut done = 0;
        for track in 0..self.tracks.len() {
            let mut open = self.first_range(track);
            for turn in turns.iter().filter(|turn| turn.track == track) {
                let most = self.budget.div_ceil(turns.len() - done);
                done += 1;
                let (at, told) = self.turn(*turn, merges, most)?;
                let kind = match turn.change {
                    Change::Begins(_, mode) => {
                        open = Some(Range {
                            track,
                            from: at.value,
                            to: at.value,
                            most: (0.0, at.value),
                        });
                        let root = self.station(turn.station + 1).roots[mode];
                        if root.is_pair() {
                            Kind::Flutter
                        } else {
                            Kind::Divergence
                        }
                    }
                    Change::Ceases(..) | Change::Joins => {
                        if let Some(mut range) = open.take() {
                            range.to = at.value;
                            ranges.push(range);
                        }
                        Kind::Stable
                    }
                };
                if told {
                    events.push(event(kind, track, &at));
                }
            }
            if let Some(mut range) = open {
                let last = self.tracks[track].points.last();
                range.to = last.map_or(range.from, |point| self.station(point.station).value);
                ranges.push(range);
            }
        }
        for range in &mut ranges {
            range.most = self.most(range);
        }
        ranges.sort_by(|a, b| a.from.total_cmp(&b.from));
        Ok((events, ranges))
    }

    fn root(&self, track: usize, station: usize) -> Option<Root> {
        let mode = self.tracks[track].at(station)?;
        Some(self.station(station).roots[mode])
    }

    fn grows(&self, track: usize, station: usize) -> bool {
        self.root(track, station)
            .is_some_and(|root| root.value.re > 0.0)
    }

    /// A range that is open at the first value.
    fn first_range(&self, track: usize) -> Option<Range> {
        let from = self.station(0).value;
        self.grows(track, 0).then_some(Range {
            track,
            from,
            to: from,
            most: (0.0, from),
        })
    }

    /// The changes of a followed mode.
    fn turns(&self, track: usize) -> Vec<Turn> {
        let points = &self.tracks[track].points;
        let mut found = Vec::new();
        let mut add = |station: usize, change| {
            found.push(Turn {
                track,
                station,
                change,
            });
        };
        if let Some(first) = points.first().filter(|first| first.station > 0)
            && self.grows(track, first.station)
        {
            add(first.station - 1, Change::Begins(None, first.mode));
        }
        for two in points.windows(2) {
            let station = two[0].station;
            match [0, 1].map(|k| self.grows(track, station + k)) {
                [false, true] => add(station, Change::Begins(Some(two[0].mode), two[1].mode)),
                [true, false] => add(station, Change::Ceases(two[0].mode, two[1].mode)),
                _ => {}
            }
        }
        if let Some(last) = points
            .last()
            .filter(|last| last.station + 1 < self.knots.len())
            && self.grows(track, last.station)
        {
            add(last.station, Change::Joins);
        }
        found
    }

    /// Locates a change. Is it an event of its own?
    fn turn(&mut self, turn: Turn, merges: &[Event], most: usize) -> Result<(Pinned, bool), E> {
        let (k, track) = (turn.station, turn.track);
        let ends = [k, k + 1].map(|k| self.station(k).value);
        let merge = merges.iter().find(|own| {
            own.tracks.contains(&track) && own.value >= ends[0] && own.value <= ends[1]
        });
        let others = merge.iter().flat_map(|own| &own.tracks);
        let sides = [k, k + 1].map(|k| {
            let own = self.tracks[track].at(k);
            let mut others = others.clone();
            let mode = own.or_else(|| others.find_map(|other| self.tracks[*other].at(k)));
            mode.map(|mode| self.station(k).roots[mode])
        });
        // The side on which the mode does not grow, and the station on the other side.
        let (still, beyond) = match turn.change {
            Change::Begins(..) => (k, k.checked_sub(1)),
            Change::Ceases(..) | Change::Joins => (k + 1, Some(k + 2)),
        };
        let rest = sides[still - k];
        if let (Some(own), Some(rest)) = (merge, rest) {
            let grows_on = rest.value.re > 0.0;
            if grows_on || rest.value.re.abs() <= NONE * rest.value.norm() {
                return Ok((merged(own), !grows_on));
            }
        }
        let beyond = beyond.filter(|k| *k < self.knots.len());
        let damped = beyond.and_then(|k| self.root(track, k));
        let at_rest = rest.is_some_and(|rest| rest.value.re == 0.0);
        let zero = rest.is_some_and(|rest| rest.zero);
        if zero || at_rest && damped.is_some_and(|root| root.value.re < 0.0) {
            let mode = self.tracks[track].at(still);
            let station = self.station(still);
            return Ok((Pinned::at(station, mode.unwrap_or(0)), true));
        }
        let at = match (turn.change, sides) {
            (Change::Begins(Some(i), j) | Change::Ceases(i, j), [Some(a), Some(b)])
                if a.is_pair() == b.is_pair() && a.value.re * b.value.re < 0.0 =>
            {
                let real = |station: &Station, modes: &[usize]| station.roots[modes[0]].value.re;
                self.pin((k, &[i], &[j]), &real, most)?
            }
            _ => self.pin_count(k, most)?,
        };
        Ok((at, true))
    }

    /// The largest real part at stations within a range, and where.
    fn most(&self, range: &Range) -> (f64, f64) {
        let own = &self.tracks[range.track].points;
        let all = own.iter().map(|point| {
            let station = self.station(point.station);
            (station.roots[point.mode].value.re, station.value)
        });
        let within = all.filter(|(_, value)| *value >= range.from && *value <= range.to);
        within.fold((f64::NEG_INFINITY, range.from), |most, one| {
            if one.0 > most.0 { one } else { most }
        })
    }
}

/// The place where two modes merge.
fn merged(own: &Event) -> Pinned {
    Pinned {
        value: own.value,
        between: own.between,
        frequency: own.frequency,
        whirl: None,
        damping_ratio: 0.0,
    }
}

fn event(kind: Kind, track: usize, at: &Pinned) -> Event {
    Event {
        kind,
        tracks: vec![track],
        value: at.value,
        between: at.between,
        frequency: if kind == Kind::Divergence {
            0.0
        } else {
            at.frequency
        },
        gap: None,
        mac: None,
    }
}
