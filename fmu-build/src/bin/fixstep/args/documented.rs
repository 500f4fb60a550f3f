//! Control plane: tests that docs/command-line.md names every command and option, and no others.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::path::Path;

use clap::{Command, CommandFactory as _};

use super::Cli;

/// Options of other programs that the page names.
const FOREIGN: [&str; 1] = ["--release"];

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/command-line.md");
    std::fs::read_to_string(path).unwrap()
}

/// Commands without subcommands, by their words.
fn commands() -> Vec<(String, Command)> {
    let mut found = Vec::new();
    let mut open: Vec<(String, Command)> = vec![(String::new(), Cli::command())];
    while let Some((words, command)) = open.pop() {
        let mut below = command.get_subcommands().peekable();
        if below.peek().is_none() {
            found.push((words.trim().to_owned(), command.clone()));
        }
        open.extend(below.map(|sub| (format!("{words} {}", sub.get_name()), sub.clone())));
    }
    found
}

/// Every `-x` and `--xyz` in a text.
fn options(text: &str) -> BTreeSet<&str> {
    let part_of_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let words = text.split(|c: char| !part_of_word(c));
    let is_option = |word: &&str| {
        let name = word.trim_start_matches('-');
        let dashes = word.len() - name.len();
        let letters = name.starts_with(|c: char| c.is_ascii_alphabetic());
        letters && (dashes == 2 || (dashes == 1 && name.len() == 1))
    };
    words.filter(is_option).collect()
}

/// The names of an option: `--output`, `-o`.
fn names(command: &Command) -> Vec<Vec<String>> {
    let all = command.get_arguments();
    let of = |argument: &clap::Arg| {
        let long = argument.get_long().map(|name| format!("--{name}"));
        let short = argument.get_short().map(|name| format!("-{name}"));
        long.into_iter().chain(short).collect()
    };
    all.map(of)
        .filter(|names: &Vec<String>| !names.is_empty())
        .collect()
}

#[test]
fn the_page_has_every_command_and_option() {
    let page = page();
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    let mut missing = Vec::new();
    for (words, command) in commands() {
        let heading = format!("`fixstep {words}");
        let own = sections.iter().find(|section| {
            let rest = section.strip_prefix(&heading);
            rest.is_some_and(|rest| rest.starts_with([' ', '`']))
        });
        let Some(own) = own else {
            missing.push(format!("a section of `fixstep {words}`"));
            continue;
        };
        let told = options(own);
        for names in names(&command) {
            if !names.iter().any(|name| told.contains(name.as_str())) {
                missing.push(format!("{} of `fixstep {words}`", names.join(" or ")));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "docs/command-line.md lacks:\n{}",
        missing.join("\n")
    );
}

#[test]
fn the_page_names_no_option_that_is_not_there() {
    let page = page();
    let commands = commands();
    let known: BTreeSet<String> = commands
        .iter()
        .flat_map(|(_, command)| names(command))
        .flatten()
        .chain(["--help", "-h"].map(str::to_owned))
        .collect();
    let strange: Vec<&str> = options(&page)
        .into_iter()
        .filter(|name| !known.contains(*name) && !FOREIGN.contains(name))
        .collect();
    assert_eq!(strange, [""; 0], "docs/command-line.md");
}
