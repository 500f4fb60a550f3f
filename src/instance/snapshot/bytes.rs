//! Control plane: saved states as bytes, little-endian: magic, version, length, fingerprint of the model's token,
//! instance part, texts, history of a variable step, simulation part, checksum (FNV-1a, 64 bits) of everything before
//! it.

use super::super::mode::Mode;
use super::super::settings::Settings;
use super::super::timeline::Timeline;
use super::Snapshot;
use fixstep_kernel::fingerprint::fnv;
use fixstep_variables::Setting;
use fixstep_variables::settings::{
    formulation_item, formulation_of_item, integrator_item, integrator_of_item,
};

const MAGIC: &[u8; 8] = b"FIXSTATE";
const VERSION: u32 = 10;
/// Settings that are a word.
const WORDS: [Setting; 3] = [Setting::Mode, Setting::Interpolate, Setting::Corrector];
/// Longest pattern.
const PATTERN: usize = 10;
/// magic, version, reserved, length, fingerprint.
const HEADER: usize = 8 + 4 + 4 + 8 + 8;
/// 7 small numbers, pattern, 8 small numbers, hratio, then the times and the real settings.
const FIXED: usize = 7 + PATTERN + 4 + 5 + 4 + 8 * 16;
const CHECKSUM: usize = 8;

/// Length of the texts as bytes: a number of bytes before all and before each.
fn text_length(texts: &[String]) -> usize {
    4 + texts.iter().map(|text| 4 + text.len()).sum::<usize>()
}

/// Length of the history as bytes: the number of its numbers, and these.
fn history_length(history: &[f64]) -> usize {
    8 + 8 * history.len()
}

impl Snapshot {
    pub(super) fn length(&self) -> usize {
        HEADER
            + FIXED
            + text_length(&self.settings.texts)
            + history_length(&self.history)
            + self.simulation.len()
            + CHECKSUM
    }

    pub(super) fn to_bytes(&self, token: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.length());
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([0; 4]);
        out.extend((self.length() as u64).to_le_bytes());
        out.extend(fnv(token.as_bytes()).to_le_bytes());
        let solver = &self.settings.solver;
        out.extend([
            self.mode as u8,
            u8::from(self.started),
            u8::from(self.stale),
            u8::from(self.settings.include_first),
            integrator_item(solver.integrator) as u8,
            formulation_item(solver.formulation) as u8,
            solver.fixit,
        ]);
        out.push(solver.pattern.len() as u8);
        for at in 0..PATTERN {
            out.push(u8::from(solver.pattern.get(at) == Some(&true)));
        }
        out.push(u8::from(solver.linearly_implicit));
        out.push(u8::from(solver.start.equilibrium));
        out.push(u8::from(solver.guard.on));
        for setting in WORDS {
            out.push(self.settings.integer(setting) as u8);
        }
        out.push(solver.kmax);
        out.push(solver.maxit);
        out.extend(solver.hratio.to_le_bytes());
        for number in [
            self.h,
            self.timeline.start,
            self.timeline.stop.unwrap_or(f64::INFINITY),
            self.timeline.expected,
            solver.maxerr,
            solver.hinit.unwrap_or(0.0),
            solver.hmax.unwrap_or(0.0),
            solver.alpha,
            solver.beta,
            solver.gamma,
            solver.rho,
            solver.start.ramp,
            solver.hmin.unwrap_or(0.0),
            solver.error.unwrap_or(0.0),
            solver.adaptivity,
        ] {
            out.extend(number.to_le_bytes());
        }
        out.extend(solver.given.0.to_le_bytes());
        let texts = &self.settings.texts;
        out.extend((text_length(texts) as u32).to_le_bytes());
        for text in texts {
            out.extend((text.len() as u32).to_le_bytes());
            out.extend(text.as_bytes());
        }
        out.extend((self.history.len() as u64).to_le_bytes());
        for number in &self.history {
            out.extend(number.to_le_bytes());
        }
        out.extend(&self.simulation);
        out.extend(fnv(&out).to_le_bytes());
        out
    }

    pub(super) fn from_bytes(
        bytes: &[u8],
        token: &str,
        accepts: impl Fn(&[u8]) -> bool,
        (factor, texts): (f64, usize),
    ) -> Result<Self, NoSnapshot> {
        let mut reader = Reader { bytes };
        if reader.take::<8>()? != *MAGIC {
            return Err(NoSnapshot::Foreign);
        }
        let version = u32::from_le_bytes(reader.take()?);
        if version != VERSION {
            return Err(NoSnapshot::Version(version));
        }
        reader.take::<4>()?;
        let stated = u64::from_le_bytes(reader.take()?);
        if stated != bytes.len() as u64 {
            let given = bytes.len();
            return Err(NoSnapshot::Length { stated, given });
        }
        if u64::from_le_bytes(reader.take()?) != fnv(token.as_bytes()) {
            return Err(NoSnapshot::OtherModel);
        }
        let said = bytes.get(HEADER + FIXED..).and_then(<[u8]>::first_chunk);
        let said = said.map_or(usize::MAX, |said| u32::from_le_bytes(*said) as usize);
        let first = (HEADER + FIXED).saturating_add(said);
        let count = bytes.get(first..).and_then(<[u8]>::first_chunk);
        let count = count.map_or(usize::MAX, |count| u64::from_le_bytes(*count) as usize);
        let first = first.saturating_add(count.saturating_mul(8).saturating_add(8));
        let simulation = bytes.get(first..bytes.len().saturating_sub(CHECKSUM));
        if !simulation.is_some_and(accepts) {
            return Err(NoSnapshot::Size(bytes.len()));
        }
        let size = bytes.len() - first - CHECKSUM;
        let (body, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        if fnv(body).to_le_bytes() != checksum {
            return Err(NoSnapshot::Damaged);
        }
        reader.snapshot(size, factor, texts)
    }
}

/// Why bytes are no state of this instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoSnapshot {
    #[error("it does not begin with the mark of a Fixstep state")]
    Foreign,
    #[error("it has version {0}; this FMU reads {VERSION}")]
    Version(u32),
    #[error("it says it has {stated} bytes, but {given} were given")]
    Length { stated: u64, given: usize },
    #[error(
        "it was saved from another model, or from this one with other settings in the file (of a model, `fixstep run` takes \
         options such as --mode for settings of the file)"
    )]
    OtherModel,
    #[error("it has {0} bytes, which this model's state never has")]
    Size(usize),
    #[error("it is damaged: its checksum is wrong")]
    Damaged,
    #[error("it is too short to be one")]
    Short,
    #[error("it holds settings that this FMU does not know")]
    Settings,
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], NoSnapshot> {
        let Some((head, tail)) = self.bytes.split_first_chunk::<N>() else {
            return Err(NoSnapshot::Short);
        };
        self.bytes = tail;
        Ok(*head)
    }

    fn number(&mut self) -> Result<f64, NoSnapshot> {
        self.take().map(f64::from_le_bytes)
    }

    fn texts(&mut self, count: usize) -> Option<Vec<String>> {
        let end = u32::from_le_bytes(self.take().ok()?) as usize;
        let (mut own, rest) = self.bytes.split_at_checked(end.checked_sub(4)?)?;
        self.bytes = rest;
        let mut texts = Vec::new();
        while let Some((length, after)) = own.split_first_chunk::<4>() {
            let length = u32::from_le_bytes(*length) as usize;
            let (text, after) = after.split_at_checked(length)?;
            texts.push(std::str::from_utf8(text).ok()?.to_owned());
            own = after;
        }
        (own.is_empty() && texts.len() == count).then_some(texts)
    }

    fn snapshot(&mut self, size: usize, factor: f64, texts: usize) -> Result<Snapshot, NoSnapshot> {
        let [mode, started, stale, first, integrator, formulation, fixit] = self.take()?;
        let foreign = || NoSnapshot::Settings;
        let [entries] = self.take()?;
        let pattern: [u8; PATTERN] = self.take()?;
        let [linearly_implicit, equilibrium, guarded] = self.take()?;
        let words: [u8; WORDS.len()] = self.take()?;
        let [kmax, maxit] = self.take()?;
        let hratio = u32::from_le_bytes(self.take()?);
        let h = self.number()?;
        let start = self.number()?;
        let stop = Some(self.number()?).filter(|stop| *stop != f64::INFINITY);
        let expected = self.number()?;
        let mut settings =
            Settings::new(fixstep_kernel::mechanism::SolverSettings::default(), factor);
        settings.include_first = first != 0;
        for (setting, item) in WORDS.into_iter().zip(words) {
            let items = setting.enumeration().map_or(0, |of| of.items().len());
            if !(1..=items).contains(&usize::from(item)) {
                return Err(foreign());
            }
            settings.set_integer(setting, i64::from(item));
        }
        let solver = &mut settings.solver;
        solver.maxerr = self.number()?;
        solver.hinit = Some(self.number()?).filter(|h| *h > 0.0);
        solver.hmax = Some(self.number()?).filter(|h| *h > 0.0);
        for number in [
            &mut solver.alpha,
            &mut solver.beta,
            &mut solver.gamma,
            &mut solver.rho,
            &mut solver.start.ramp,
        ] {
            *number = self.number()?;
        }
        solver.hmin = Some(self.number()?).filter(|h| *h > 0.0);
        solver.error = Some(self.number()?).filter(|error| *error > 0.0);
        solver.adaptivity = self.number()?;
        solver.kmax = kmax;
        solver.maxit = maxit;
        solver.given.0 = u64::from_le_bytes(self.take()?);
        solver.linearly_implicit = linearly_implicit != 0;
        solver.start.equilibrium = equilibrium != 0;
        solver.guard.on = guarded != 0;
        solver.fixit = fixit;
        solver.hratio = hratio;
        solver.integrator = integrator_of_item(i64::from(integrator)).ok_or_else(foreign)?;
        solver.formulation = formulation_of_item(i64::from(formulation)).ok_or_else(foreign)?;
        let entries = pattern.get(..usize::from(entries)).ok_or_else(foreign)?;
        solver.pattern = entries.iter().map(|entry| *entry != 0).collect();
        settings.texts = self.texts(texts).ok_or_else(foreign)?;
        let history = self.history().ok_or_else(foreign)?;
        let simulation = self.bytes.get(..size).ok_or_else(foreign)?.to_vec();
        Ok(Snapshot {
            mode: Mode::from_number(mode)
                .filter(|mode| *mode != Mode::Intermediate)
                .ok_or_else(foreign)?,
            started: started != 0,
            stale: stale != 0,
            h,
            timeline: Timeline {
                start,
                stop,
                expected,
            },
            settings,
            simulation,
            history,
        })
    }

    /// The numbers of a history.
    fn history(&mut self) -> Option<Vec<f64>> {
        let count = usize::try_from(u64::from_le_bytes(self.take().ok()?)).ok()?;
        let (own, rest) = self.bytes.split_at_checked(count.checked_mul(8)?)?;
        self.bytes = rest;
        let (numbers, _) = own.as_chunks::<8>();
        Some(
            numbers
                .iter()
                .map(|bits| f64::from_le_bytes(*bits))
                .collect(),
        )
    }
}
