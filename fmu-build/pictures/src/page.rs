//! Control plane: fills the template of a page: one file for any browser, without a network.
//!
//! The template and the scripts are those of `viewer/`; a program that was built with its bundle of third-party code puts that
//! into the page too.

use std::io;

use crate::payload::{self, Contents, PayloadError};

const TEMPLATE: &str = include_str!("../../../viewer/page.html");
const STYLE: &str = include_str!("../../../viewer/style.css");
/// Base64 of gzip.
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/script.b64"));
/// The policy of a page that asks nobody, and what a page that is served may ask besides.
const POLICY: &str = "default-src 'none'";
const SERVED: &str = "default-src 'none'; connect-src 'self'";
/// Base64 of gzip; empty without a bundle.
const VENDOR: &str = include_str!(concat!(env!("OUT_DIR"), "/vendor.b64"));

/// Why a page cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// What it shows does not fit together.
    #[error(transparent)]
    Contents(#[from] PayloadError),
    /// It cannot be compressed.
    #[error("the data of the page cannot be compressed: {0}")]
    Compression(#[from] io::Error),
}

/// Does this program hold the code with which a page draws solids?
pub fn has_bundle() -> bool {
    !VENDOR.is_empty()
}

/// The page of these contents.
pub fn page(contents: &Contents<'_>) -> Result<String, PageError> {
    let data = payload::compressed(&payload::pack(contents)?)?;
    let page = filled(&contents.scene.title, &data);
    Ok(match contents.live {
        Some(_) => page.replacen(POLICY, SERVED, 1),
        None => page,
    })
}

/// The template with its gaps filled, each once and in its order: what goes in may hold the name of another gap.
fn filled(title: &str, data: &str) -> String {
    let title = title
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let gaps = [
        ("TITLE", title.as_str()),
        ("STYLE", STYLE),
        ("VENDOR", VENDOR),
        ("DATA", data),
        ("SCRIPT", SCRIPT),
    ];
    let length = gaps.iter().map(|(_, text)| text.len()).sum::<usize>();
    let mut page = String::with_capacity(TEMPLATE.len() + length);
    let mut rest = TEMPLATE;
    for (gap, text) in gaps {
        let Some((before, after)) = rest.split_once(gap) else {
            continue;
        };
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page.push_str(rest);
    page
}

#[cfg(test)]
mod tests {
    use super::{TEMPLATE, filled};

    #[test]
    fn each_gap_is_filled_once() {
        assert_eq!(TEMPLATE.matches(super::POLICY).count(), 1);
        for gap in ["TITLE", "STYLE", "VENDOR", "DATA", "SCRIPT"] {
            assert_eq!(TEMPLATE.matches(gap).count(), 1, "{gap}");
        }
        let page = filled("SCRIPT </title> & DATA", "STYLE");
        assert!(page.contains("<title>SCRIPT &lt;/title&gt; &amp; DATA</title>"));
        assert!(page.contains("id=\"data\">STYLE</script>"));
        assert!(page.trim_end().ends_with("</html>"));
    }
}
