//! Control plane: parses tokens into a tree.
//!
//! ```text
//! expression := operand { operator operand }      operators by rank: + -, * /, ** (to the right)
//! operand    := ("+" | "-") operand-with-powers | number | name | call | "(" expression ")"
//! call       := name "(" [ expression { "," expression } ] ")" | IF "(" e ":" a "," b "," c ")"
//! ```
//! The tree is stored in a list in which every node follows its children, so that later stages are loops.

use super::compile::Argument;
use super::error::Fault;
use super::lex::{Kind, Token};
use super::library::{self, FUNCTIONS, Function, Rule};
use super::suggest;
use crate::limits::EXPRESSION_NESTING;
use fixstep_kernel::expr::ops::Binary;

/// Position of a node in the tree.
pub(super) type NodeId = usize;

/// A node of the tree.
#[derive(Debug)]
pub(super) enum Node {
    /// A number or constant.
    Number(f64),
    /// A name for the resolver, and its column.
    Name(String, usize),
    /// A sign.
    Negate(NodeId),
    /// An operator.
    Binary(Binary, NodeId, NodeId),
    /// A mathematical function, and its column.
    Call(&'static Function, Vec<NodeId>, usize),
    /// A function for the resolver.
    Lookup(Lookup),
    /// The name of a curve, and its column.
    Text(String, usize),
}

/// A call of a function that the resolver knows.
#[derive(Debug)]
pub(super) struct Lookup {
    /// Name in capitals.
    pub(super) function: String,
    /// Column of the name.
    pub(super) column: usize,
    /// Arguments.
    pub(super) arguments: Vec<Argument>,
    /// Columns of the arguments.
    pub(super) columns: Vec<usize>,
}

/// The tree of a text, root last; `lookups` are the functions that the resolver knows.
pub(super) fn tree(tokens: &[Token<'_>], lookups: &[&str]) -> Result<Vec<Node>, Fault> {
    let mut parser = Parser {
        tokens,
        next: 0,
        nodes: Vec::new(),
        depth: 0,
        lookups,
    };
    if tokens.len() <= 1 {
        return Err(Fault::new(1, "the expression is empty"));
    }
    parser.expression(Rank::Sum)?;
    match parser.kind() {
        Kind::End => Ok(parser.nodes),
        Kind::Close => Err(parser.fault("this \")\" closes nothing")),
        Kind::Comma => Err(parser.fault(parser.stray_comma())),
        other => {
            let message = match parser.unit_hint() {
                Some(hint) => format!("an operator is missing before {}; {hint}", other.describe()),
                None => format!(
                    "an operator is missing before {}; a product is written with *",
                    other.describe()
                ),
            };
            Err(parser.fault(message))
        }
    }
}

/// How tightly an operator binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Sum,
    Product,
    Sign,
    Power,
}

struct Parser<'a, 'b> {
    tokens: &'b [Token<'a>],
    next: usize,
    nodes: Vec<Node>,
    depth: usize,
    lookups: &'b [&'b str],
}

impl<'a, 'b> Parser<'a, 'b> {
    /// The token that comes next; [`Kind::End`] is never passed.
    fn token(&self) -> &'b Token<'a> {
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> &'b Kind<'a> {
        &self.token().kind
    }

    fn advance(&mut self) -> &'b Token<'a> {
        let token = self.token();
        self.next += 1;
        token
    }

    /// What to write in the place of a unit behind a number, if the next token is one.
    fn unit_hint(&self) -> Option<&'static str> {
        let before = self.next.checked_sub(1).and_then(|k| self.tokens.get(k))?;
        let (Kind::Number(_), Kind::Name(name)) = (&before.kind, self.kind()) else {
            return None;
        };
        match fixstep_variables::units::parse_unit(name) {
            _ if ["deg", "degree", "degrees"].contains(name) => {
                Some("degrees are written 30D, and functions are of radians")
            }
            Ok(_) => Some("numbers in expressions have no units, and count in those of the file"),
            Err(_) => None,
        }
    }

    /// A fault at the token that comes next.
    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.token().column, message)
    }

    /// The message about a comma outside a function.
    fn stray_comma(&self) -> &'static str {
        let number =
            |at: usize| matches!(self.tokens.get(at).map(|t| &t.kind), Some(Kind::Number(_)));
        if self.next > 0 && number(self.next - 1) && number(self.next + 1) {
            "a comma is not valid here; write decimals with a point: 0.1"
        } else {
            "a comma is valid only between the arguments of a function"
        }
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Operands joined by operators that bind at least as tightly as `least`.
    fn expression(&mut self, least: Rank) -> Result<NodeId, Fault> {
        self.depth += 1;
        if self.depth > EXPRESSION_NESTING {
            let message = format!(
                "the expression is nested more than {EXPRESSION_NESTING} levels deep; \
                 split it into variables"
            );
            return Err(self.fault(message));
        }
        let mut left = self.operand()?;
        loop {
            let (op, rank, right_rank) = match self.kind() {
                Kind::Plus => (Binary::Add, Rank::Sum, Rank::Product),
                Kind::Minus => (Binary::Subtract, Rank::Sum, Rank::Product),
                Kind::Star => (Binary::Multiply, Rank::Product, Rank::Sign),
                Kind::Slash => (Binary::Divide, Rank::Product, Rank::Sign),
                Kind::Power => (Binary::Power, Rank::Power, Rank::Power),
                _ => break,
            };
            if rank < least {
                break;
            }
            self.advance();
            let right = self.expression(right_rank)?;
            left = self.push(Node::Binary(op, left, right));
        }
        self.depth -= 1;
        Ok(left)
    }

    /// A sign with its operand, a number, a name, a call, or parentheses.
    fn operand(&mut self) -> Result<NodeId, Fault> {
        let token = self.token();
        match &token.kind {
            Kind::Minus => {
                self.advance();
                let operand = self.expression(Rank::Power)?;
                Ok(self.push(Node::Negate(operand)))
            }
            Kind::Plus => {
                self.advance();
                self.expression(Rank::Power)
            }
            Kind::Number(value) => {
                self.advance();
                Ok(self.push(Node::Number(*value)))
            }
            Kind::Quoted(name) => {
                self.advance();
                if *self.kind() == Kind::Open {
                    return Err(Fault::new(
                        token.column,
                        "write the name of a function without quotes",
                    ));
                }
                Ok(self.push(Node::Name(name.clone(), token.column)))
            }
            Kind::Name(name) => {
                self.advance();
                if *self.kind() == Kind::Open {
                    return self.call(name, token.column);
                }
                Ok(self.bare_name(name, token.column))
            }
            Kind::Open => {
                self.advance();
                let inner = self.expression(Rank::Sum)?;
                self.close(token.column, "an operator or \")\"")?;
                Ok(inner)
            }
            other => {
                let found = other.describe();
                Err(self.fault(format!("a number, name or \"(\" is missing before {found}")))
            }
        }
    }

    /// The closing parenthesis of the one at column `open`.
    fn close(&mut self, open: usize, expected: &str) -> Result<(), Fault> {
        match self.kind() {
            Kind::Close => {
                self.advance();
                Ok(())
            }
            Kind::End => Err(Fault::new(open, "this \"(\" is never closed")),
            other => {
                let found = other.describe();
                let hint = self.unit_hint().map(|hint| format!("; {hint}"));
                let hint = hint.unwrap_or_default();
                Err(self.fault(format!("{expected} is missing before {found}{hint}")))
            }
        }
    }

    /// A constant, or a name for the resolver.
    fn bare_name(&mut self, name: &str, column: usize) -> NodeId {
        if let Some(value) = library::constant_named(name) {
            return self.push(Node::Number(value));
        }
        let name = if name.eq_ignore_ascii_case("TIME") {
            "TIME"
        } else {
            name
        };
        self.push(Node::Name(name.to_owned(), column))
    }

    /// A call; the opening parenthesis comes next.
    fn call(&mut self, name: &str, column: usize) -> Result<NodeId, Fault> {
        let open = self.advance().column;
        if let Some(function) = library::function_named(name) {
            let arguments = self.arguments(function, open)?;
            if !(function.least..=function.most).contains(&arguments.len()) {
                let hint = match (function.name, arguments.len()) {
                    ("ATAN", 2) => "; of two arguments ATAN2(y, x)",
                    _ => "",
                };
                let message = format!(
                    "{} takes {}, not {}: {}{hint}",
                    function.name,
                    function.arity(),
                    arguments.len(),
                    function.signature
                );
                return Err(Fault::new(column, message));
            }
            return Ok(self.push(Node::Call(function, arguments, column)));
        }
        let upper = name.to_ascii_uppercase();
        if self.lookups.contains(&upper.as_str()) {
            let lookup = self.lookup(upper, column, open)?;
            return Ok(self.push(Node::Lookup(lookup)));
        }
        if let Some((constant, _)) = library::CONSTANTS.iter().find(|(other, _)| *other == upper) {
            return Err(Fault::new(
                column,
                format!("{constant} is a constant, not a function"),
            ));
        }
        let known = FUNCTIONS.iter().map(|function| function.name);
        let hint = match library::instead(&upper) {
            Some(instead) => format!("; {instead}"),
            None => suggest::hint(name, known.chain(self.lookups.iter().copied())),
        };
        Err(Fault::new(
            column,
            format!("there is no function \"{name}\"{hint}"),
        ))
    }

    /// Expressions up to the closing parenthesis.
    fn arguments(
        &mut self,
        function: &'static Function,
        open: usize,
    ) -> Result<Vec<NodeId>, Fault> {
        let mut arguments = Vec::new();
        if *self.kind() == Kind::Close {
            self.advance();
            return Ok(arguments);
        }
        loop {
            let argument = if function.rule.curve() == Some(arguments.len()) {
                self.text(function)?
            } else {
                self.expression(Rank::Sum)?
            };
            arguments.push(argument);
            let wants_colon = function.rule == Rule::If && arguments.len() == 1;
            match self.kind() {
                Kind::Colon if wants_colon => {}
                Kind::Comma if !wants_colon => {}
                Kind::Comma | Kind::Close if wants_colon => {
                    return Err(self.fault("a \":\" follows the condition: IF(e: a, b, c)"));
                }
                _ => break,
            }
            self.advance();
        }
        self.close(open, "an operator, \",\" or \")\"")?;
        Ok(arguments)
    }

    /// The name of a curve.
    fn text(&mut self, function: &Function) -> Result<NodeId, Fault> {
        let token = self.token();
        let name = match &token.kind {
            Kind::Name(name) => (*name).to_owned(),
            Kind::Quoted(name) => name.clone(),
            _ => {
                let what = match function.rule {
                    Rule::Array => "an array or control element",
                    _ => "a spline",
                };
                let message = format!("the name of {what} belongs here: {}", function.signature);
                return Err(self.fault(message));
            }
        };
        self.advance();
        Ok(self.push(Node::Text(name, token.column)))
    }

    /// Names and numbers up to the closing parenthesis.
    fn lookup(&mut self, function: String, column: usize, open: usize) -> Result<Lookup, Fault> {
        let mut lookup = Lookup {
            function,
            column,
            arguments: Vec::new(),
            columns: Vec::new(),
        };
        if *self.kind() == Kind::Close {
            self.advance();
            return Ok(lookup);
        }
        loop {
            lookup.columns.push(self.token().column);
            let argument = self.literal(&lookup)?;
            lookup.arguments.push(argument);
            if *self.kind() != Kind::Comma {
                break;
            }
            self.advance();
        }
        if matches!(self.kind(), Kind::Comma | Kind::Close | Kind::End) {
            self.close(open, "\",\" or \")\"")?;
            Ok(lookup)
        } else {
            let last = lookup.columns.last().copied().unwrap_or(column);
            Err(not_literal(&lookup, last))
        }
    }

    /// One argument of a lookup.
    fn literal(&mut self, lookup: &Lookup) -> Result<Argument, Fault> {
        let start = self.advance();
        let sign = match start.kind {
            Kind::Minus => -1.0,
            Kind::Plus => 1.0,
            Kind::Number(value) => return Ok(Argument::Number(value)),
            Kind::Name(name) if *self.kind() != Kind::Open => {
                return Ok(Argument::Name(name.to_owned()));
            }
            Kind::Quoted(ref name) => return Ok(Argument::Name(name.clone())),
            _ => return Err(not_literal(lookup, start.column)),
        };
        match self.advance().kind {
            Kind::Number(value) => Ok(Argument::Number(sign * value)),
            _ => Err(not_literal(lookup, start.column)),
        }
    }
}

/// The fault of an argument that is an expression.
fn not_literal(lookup: &Lookup, column: usize) -> Fault {
    let message = format!(
        "argument {} of {} must be a name or a number",
        lookup.columns.len(),
        lookup.function
    );
    Fault::new(column, message)
}
