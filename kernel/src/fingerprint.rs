//! Control plane, except for [`fnv`]: a fingerprint of bytes, which guards against mixed-up files, not against forgery.
//!
//! It has 128 bits, from two lanes over the same bytes. Lane A is FNV-1a with its published offset basis and prime
//! (64 bits); lane B is FNV-1a from another basis, over bytes that are first rotated by the running lane A. Both end
//! in the finaliser of SplitMix64, so that similar texts give very different fingerprints.

use alloc::format;
use alloc::string::String;

const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
/// The increment of SplitMix64, an odd number without a pattern.
const SPLIT_MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// The two lanes.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    a: u64,
    b: u64,
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self {
            a: FNV_BASIS,
            b: finalise(FNV_BASIS),
        }
    }
}

impl Fingerprint {
    /// The fingerprint of some bytes, in 32 hexadecimal digits.
    pub fn of(bytes: &[u8]) -> String {
        let mut print = Self::default();
        print.bytes(bytes);
        print.digits()
    }

    /// Adds a byte.
    pub fn byte(&mut self, byte: u8) {
        self.a = (self.a ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
        let turned = byte.rotate_left((self.a >> 61) as u32);
        self.b = (self.b ^ u64::from(turned)).wrapping_mul(FNV_PRIME);
    }

    /// Adds a number.
    pub fn number(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.byte(byte);
        }
    }

    /// Adds a text, length first, so that letters cannot move between adjacent texts.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Adds bytes, length first.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        for byte in bytes {
            self.byte(*byte);
        }
    }

    /// Adds bytes eight at a time, length first. The fingerprint differs from that of single bytes, and takes an
    /// eighth of the time.
    pub fn words(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
    }

    fn word(&mut self, word: u64) {
        let mix = |lane: u64| {
            let product = lane.wrapping_mul(SPLIT_MIX);
            product ^ (product >> 32)
        };
        self.a = mix(self.a ^ word);
        self.b = mix(self.b ^ word.rotate_left(29));
    }

    /// The fingerprint of everything added so far.
    pub fn value(&self) -> u128 {
        u128::from(finalise(self.a)) << 64 | u128::from(finalise(self.b))
    }

    /// The fingerprint of everything added so far, in 32 hexadecimal digits.
    pub fn digits(&self) -> String {
        format!("{:032x}", self.value())
    }
}

/// FNV-1a of 64 bits: any single changed byte changes it, since each round is a bijection.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(FNV_BASIS, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME)
    })
}

/// The next random number of SplitMix64.
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(SPLIT_MIX);
    finalise(*state)
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, 2014).
const fn finalise(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lane A is plain FNV-1a: published test vectors of the empty text and of `foobar`.
    #[test]
    fn lane_a_is_fnv_1a() {
        let mut hash = Fingerprint::default();
        assert_eq!(hash.a, 0xcbf2_9ce4_8422_2325);
        for byte in b"foobar" {
            hash.byte(*byte);
        }
        assert_eq!(hash.a, 0x8594_4171_f739_67e8);
    }
}
