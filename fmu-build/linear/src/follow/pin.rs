//! Where a followed mode meets a condition between two stations.

use super::link::{Link, links};
use super::{Follower, Station};

/// Values that are looked at, at most.
const STEPS: usize = 40;
/// Intervals of this part of a value are a point.
const POINT: f64 = 1e-10;

/// Where a function of a mode is zero.
#[derive(Clone, Debug)]
pub struct Pinned {
    /// The value of the parameter.
    pub value: f64,
    /// Im λ [rad/s].
    pub frequency: f64,
    /// The whirl.
    pub whirl: Option<f64>,
}

/// Where a line of an order meets a mode.
#[derive(Clone, Debug)]
pub struct Critical {
    /// The mode.
    pub track: usize,
    /// The order.
    pub order: f64,
    /// Where.
    pub at: Pinned,
    /// −Re λ/|λ| there.
    pub damping_ratio: f64,
}

/// An end of an interval: a value, the mode there, and what the function is.
#[derive(Clone)]
struct End {
    station: Station,
    mode: usize,
    value: f64,
}

impl End {
    fn pinned(&self) -> Pinned {
        Pinned {
            value: self.station.value,
            frequency: self.station.roots[self.mode].value.im,
            whirl: self.station.whirls[self.mode],
        }
    }
}

impl<E> Follower<'_, E> {
    /// Where orders of a speed meet modes: Im λ = order · scale · value. `scale` makes rad/s of the value.
    pub fn critical(&mut self, orders: &[f64], scale: f64) -> Result<Vec<Critical>, E> {
        let mut found = Vec::new();
        for order in orders {
            let miss = move |station: &Station, mode: usize| {
                station.roots[mode].value.im - order * scale * station.value.abs()
            };
            for track in 0..self.tracks.len() {
                for k in 0..self.knots.len().saturating_sub(1) {
                    let both = (self.tracks[track].at(k), self.tracks[track].at(k + 1));
                    let (Some(i), Some(j)) = both else { continue };
                    let (a, b) = (self.station(k), self.station(k + 1));
                    if !a.roots[i].is_pair() || !b.roots[j].is_pair() {
                        continue;
                    }
                    let (at_a, at_b) = (miss(a, i), miss(b, j));
                    // A zero at a station belongs to the interval behind it, at the last station to that before it.
                    let last = k + 2 == self.knots.len();
                    let meets = at_a == 0.0 || (at_a > 0.0) != (at_b > 0.0) && at_b != 0.0;
                    if !(meets || last && at_b == 0.0) {
                        continue;
                    }
                    let (at, damping_ratio) = self.pin((k, i, j), &miss)?;
                    found.push(Critical {
                        track,
                        order: *order,
                        at,
                        damping_ratio,
                    });
                }
            }
        }
        found.sort_by(|a, b| a.at.value.total_cmp(&b.at.value));
        Ok(found)
    }

    /// Where a function of a mode is zero between a station and the next, by false position (Illinois); the damping ratio there.
    pub(super) fn pin(
        &mut self,
        (k, i, j): (usize, usize, usize),
        miss: &dyn Fn(&Station, usize) -> f64,
    ) -> Result<(Pinned, f64), E> {
        let end = |station: &Station, mode: usize| End {
            station: station.clone(),
            mode,
            value: miss(station, mode),
        };
        let mut low = end(self.station(k), i);
        let mut high = end(self.station(k + 1), j);
        let (mut weight_low, mut weight_high) = (low.value, high.value);
        for _ in 0..STEPS {
            if low.value == 0.0 {
                high = low.clone();
            }
            if high.value == 0.0 {
                low = high.clone();
            }
            let (a, b) = (low.station.value, high.station.value);
            if (b - a).abs() <= POINT * a.abs().max(b.abs()) || !self.may_look() {
                break;
            }
            let x = a + (b - a) * weight_low / (weight_low - weight_high);
            let x = if x > a && x < b {
                x
            } else {
                f64::midpoint(a, b)
            };
            let mut station = self.look(x)?;
            station.align(&low.station);
            let Some(mode) = became(&low, &station).or_else(|| was(&station, &high)) else {
                break;
            };
            let new = end(&station, mode);
            if (new.value > 0.0) == (low.value > 0.0) && new.value != 0.0 {
                weight_low = new.value;
                weight_high /= 2.0;
                low = new;
            } else {
                weight_high = new.value;
                weight_low /= 2.0;
                high = new;
            }
        }
        let best = if low.value.abs() <= high.value.abs() {
            low
        } else {
            high
        };
        let root = best.station.roots[best.mode];
        Ok((best.pinned(), root.damping_ratio()))
    }

    /// Where the number of roots that grow changes between a station and the next, by halves.
    pub(super) fn pin_count(&mut self, k: usize) -> Result<f64, E> {
        let (a, b) = (self.station(k), self.station(k + 1));
        let (before, after) = (a.unstable(), b.unstable());
        let (mut low, mut high) = (a.value, b.value);
        if before == after {
            return Ok(f64::midpoint(low, high));
        }
        for _ in 0..STEPS {
            if high - low <= POINT * low.abs().max(high.abs()) || !self.may_look() {
                break;
            }
            let x = f64::midpoint(low, high);
            if self.look(x)?.unstable() == before {
                low = x;
            } else {
                high = x;
            }
        }
        Ok(high)
    }
}

/// Which mode of a station an earlier one has become.
fn became(from: &End, to: &Station) -> Option<usize> {
    let all = links(&from.station, to).list;
    all.iter().find_map(|link| match link {
        Link::One(i, j, _) if *i == from.mode => Some(*j),
        _ => None,
    })
}

/// Which mode of a station a later one has been.
fn was(from: &Station, to: &End) -> Option<usize> {
    let all = links(from, &to.station).list;
    all.iter().find_map(|link| match link {
        Link::One(i, j, _) if *j == to.mode => Some(*i),
        _ => None,
    })
}
