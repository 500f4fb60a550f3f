//! Control plane: expands user macros in the tokens of an expression before it is parsed.
//!
//! A call becomes the macro's text in parentheses. Every argument is put in parentheses too, unless it is a single
//! name or number (so that it can name a marker). Text inside an argument is never taken for an argument of the
//! macro, and a macro cannot reach itself.

use super::error::Fault;
use super::lex::{self, Kind, Token};
use super::parse;
use crate::limits::{MACRO_NESTING, MACRO_WORDS};

/// A macro of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Macro {
    /// Name.
    pub name: String,
    /// Names of the arguments.
    pub arguments: Vec<String>,
    /// The text that replaces a call.
    pub text: String,
}

/// Columns of the calls in the expression itself, each with the macro.
type Uses<'a> = Vec<(usize, &'a Macro)>;

/// The macros that are being expanded, outermost first, and the column where that began.
struct Expansion<'a> {
    macros: &'a [Macro],
    open: Vec<&'a Macro>,
    /// Column of the outermost call, and the macro.
    uses: Uses<'a>,
    /// Words that may still be written, counting those again that one macro hands to another.
    left: usize,
}

/// Words that all macros of an expression may write together. An expression of the most words, made by a dozen macros, each of
/// twice the words of the one before, needs less.
const WRITTEN: usize = 20 * MACRO_WORDS;

/// Tokens with all macros expanded, and where which was used.
pub(super) fn expand<'a>(
    tokens: Vec<Token<'a>>,
    macros: &'a [Macro],
) -> Result<(Vec<Token<'a>>, Uses<'a>), Fault> {
    if macros.is_empty() {
        return Ok((tokens, Vec::new()));
    }
    let mut expansion = Expansion {
        macros,
        open: Vec::new(),
        uses: Vec::new(),
        left: WRITTEN,
    };
    let expanded = expansion.list(&tokens, None)?;
    Ok((expanded, expansion.uses))
}

/// Adds the text of the macro that was used at its column to a fault within that macro.
pub(super) fn explain(mut fault: Fault, uses: &[(usize, &Macro)]) -> Fault {
    if let Some((_, used)) = uses.iter().find(|(column, _)| *column == fault.column) {
        fault.message = format!(
            "{} (in the macro {}({}): {:?})",
            fault.message,
            used.name,
            used.arguments.join(", "),
            used.text
        );
    }
    fault
}

/// The fault of a macro definition: column in its text, and message.
pub fn macro_fault(macros: &[Macro], which: usize, functions: &[&str]) -> Option<(usize, String)> {
    let own = macros.get(which)?;
    let check = || -> Result<(), Fault> {
        let tokens = lex::tokens(&own.text)?;
        for argument in &own.arguments {
            if !tokens
                .iter()
                .any(|token| token.kind == Kind::Name(argument))
            {
                let message = format!("the argument \"{argument}\" is not used");
                return Err(Fault::new(1, message));
            }
        }
        let mut expansion = Expansion {
            macros,
            open: vec![own],
            uses: Vec::new(),
            left: WRITTEN,
        };
        let number = [Token {
            kind: Kind::Number(1.0),
            column: 1,
        }];
        let arguments: Vec<&[Token<'_>]> = own.arguments.iter().map(|_| &number[..]).collect();
        let bound = bind(own, &tokens, &arguments, None);
        let mut expanded = expansion.list(&bound, None)?;
        expanded.push(Token {
            kind: Kind::End,
            column: own.text.chars().count() + 1,
        });
        parse::tree(&expanded, functions)
            .map(|_| ())
            .map_err(|fault| explain(fault, &expansion.uses))
    };
    check().err().map(|fault| (fault.column, fault.message))
}

impl<'a> Expansion<'a> {
    /// A list of tokens with its macros expanded; all tokens from a macro are at `column`.
    fn list(
        &mut self,
        tokens: &[Token<'a>],
        column: Option<usize>,
    ) -> Result<Vec<Token<'a>>, Fault> {
        let mut expanded = Vec::with_capacity(tokens.len());
        let mut next = 0;
        while let Some(token) = tokens.get(next) {
            let called = match (&token.kind, tokens.get(next + 1).map(|t| &t.kind)) {
                (Kind::Name(name), Some(Kind::Open)) => {
                    let is = |m: &&Macro| m.name.eq_ignore_ascii_case(name);
                    self.macros.iter().find(is)
                }
                _ => None,
            };
            let Some(called) = called else {
                expanded.push(token.clone());
                next += 1;
                continue;
            };
            let (arguments, after) = arguments(tokens, next + 1)?;
            expanded.extend(self.call(called, token.column, &arguments, column)?);
            if expanded.len() > MACRO_WORDS {
                return Err(too_long(column.unwrap_or(token.column)));
            }
            next = after;
        }
        Ok(expanded)
    }

    fn call(
        &mut self,
        called: &'a Macro,
        at: usize,
        arguments: &[&[Token<'a>]],
        column: Option<usize>,
    ) -> Result<Vec<Token<'a>>, Fault> {
        let place = column.unwrap_or(at);
        if self.open.len() >= MACRO_NESTING {
            let message = format!("more than {MACRO_NESTING} macros that call one another");
            return Err(Fault::new(place, message));
        }
        if self.open.iter().any(|open| open.name == called.name) {
            let names = self.open.iter().chain([&called]).map(|m| m.name.as_str());
            let message = format!(
                "macros must not call themselves: {}",
                names.collect::<Vec<_>>().join(" -> ")
            );
            return Err(Fault::new(place, message));
        }
        if arguments.len() != called.arguments.len() {
            let message = format!(
                "the macro {} takes {} arguments, not {}: {}({})",
                called.name,
                called.arguments.len(),
                arguments.len(),
                called.name,
                called.arguments.join(", ")
            );
            return Err(Fault::new(place, message));
        }
        if column.is_none() {
            self.uses.push((at, called));
        }
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            given.push(self.list(argument, column)?);
        }
        let given: Vec<&[Token<'a>]> = given.iter().map(Vec::as_slice).collect();
        let tokens = lex::tokens(&called.text).map_err(|fault| Fault::new(place, fault.message))?;
        let bound = bind(called, &tokens, &given, Some(place));
        if bound.len() > MACRO_WORDS {
            return Err(too_long(place));
        }
        self.left = self.left.saturating_sub(bound.len());
        if self.left == 0 {
            return Err(too_long(place));
        }
        self.open.push(called);
        let body = self.list(&bound, Some(place))?;
        self.open.pop();
        Ok(enclosed(&body, place))
    }
}

/// A macro's tokens, all at one column, with its arguments inserted. The end token is left out.
fn bind<'a>(
    called: &Macro,
    tokens: &[Token<'a>],
    given: &[&[Token<'a>]],
    column: Option<usize>,
) -> Vec<Token<'a>> {
    let mut bound = Vec::with_capacity(tokens.len());
    for token in tokens.iter().filter(|token| token.kind != Kind::End) {
        if bound.len() > MACRO_WORDS {
            break;
        }
        let argument = match token.kind {
            Kind::Name(name) => called.arguments.iter().position(|a| a == name),
            _ => None,
        };
        match argument.and_then(|k| given.get(k)) {
            Some([one]) => bound.push(one.clone()),
            Some(several) => bound.extend(enclosed(several, token.column)),
            None => bound.push(Token {
                kind: token.kind.clone(),
                column: column.unwrap_or(token.column),
            }),
        }
    }
    bound
}

/// How the message begins about macros that make too much.
pub const TOO_LONG: &str = "macros make more than";

fn too_long(column: usize) -> Fault {
    let message = format!(
        "{TOO_LONG} {MACRO_WORDS} words of this expression, or hand on more than {WRITTEN} from one to the other"
    );
    Fault::new(column, message)
}

/// Tokens in parentheses.
fn enclosed<'a>(tokens: &[Token<'a>], column: usize) -> Vec<Token<'a>> {
    let sign = |kind| Token { kind, column };
    let mut enclosed = vec![sign(Kind::Open)];
    enclosed.extend_from_slice(tokens);
    enclosed.push(sign(Kind::Close));
    enclosed
}

/// The arguments in the parentheses that open at `open`, and the tokens after them.
fn arguments<'t, 'a>(
    tokens: &'t [Token<'a>],
    open: usize,
) -> Result<(Vec<&'t [Token<'a>]>, usize), Fault> {
    let mut found = Vec::new();
    let (mut depth, mut first) = (0, open + 1);
    for (k, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Comma if depth == 1 => {
                found.push(&tokens[first..k]);
                first = k + 1;
            }
            Kind::Close if depth == 1 => {
                if k > first || !found.is_empty() {
                    found.push(&tokens[first..k]);
                }
                return Ok((found, k + 1));
            }
            Kind::Close => depth -= 1,
            _ => {}
        }
    }
    Err(Fault::new(
        tokens[open].column,
        "this \"(\" is never closed",
    ))
}
