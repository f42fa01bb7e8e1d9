//! Warnings and errors for the people who run the program, also where it has set nothing up to hear them.

use crate::text::shortened;
use std::{
    fmt::{Arguments, Display, Write as _},
    io::{self, Write as _},
    panic,
};
use tracing::Level;

/// Characters of a line on standard error, at most.
const MAX_LINE: usize = 1000;

/// Logs like `tracing::event!`. Where the program has set no subscriber, the record goes to the crate `log`; where it has set no
/// logger either, it is one line on standard error.
#[doc(hidden)]
#[macro_export]
macro_rules! __report {
    ($level:ident, $($key:ident = $value:expr,)* $text:literal) => {{
        let level = $crate::__private::tracing::Level::$level;
        if $crate::__private::tracing::dispatcher::has_been_set() {
            $crate::__private::tracing::event!(
                $crate::__private::tracing::Level::$level, $($key = %$value,)* $text
            );
        } else {
            let fields: &[(&str, &dyn ::std::fmt::Display)] = &[$((stringify!($key), &$value)),*];
            $crate::__private::unheard(level, module_path!(), format_args!($text), fields);
        }
    }};
}

/// Whether the program has set a subscriber of `tracing`, or a logger of `log` that takes anything.
pub(crate) fn is_heard() -> bool {
    tracing::dispatcher::has_been_set() || has_logger()
}

/// A logger that takes nothing cannot be told from none.
fn has_logger() -> bool {
    log::max_level() != log::LevelFilter::Off
}

/// Tells `log` what no subscriber hears, or else standard error.
pub fn unheard(level: Level, target: &str, text: Arguments<'_>, fields: &[(&str, &dyn Display)]) {
    let line = line(text, fields);
    let is_error = level == Level::ERROR;
    if has_logger() {
        let level = if is_error { log::Level::Error } else { log::Level::Warn };
        log::log!(target: target, level, "{line}");
        return;
    }
    let word = if is_error { "error" } else { "warning" };
    print(&format!("picoflow: {word}: {line}"));
}

/// Prints a line on standard error. If nobody reads that, nobody misses the line.
fn print(line: &str) {
    if cfg!(panic = "unwind") {
        // What is printed is captured in a test. It panics where standard error is closed.
        #[expect(clippy::print_stderr, reason = "it is what this is for")]
        let print = || eprintln!("{line}");
        drop(panic::catch_unwind(print));
    } else {
        drop(writeln!(io::stderr(), "{line}"));
    }
}

/// The text and its fields in one line, without what steers a terminal.
fn line(text: Arguments<'_>, fields: &[(&str, &dyn Display)]) -> String {
    let mut line = text.to_string();
    for (at, (key, value)) in fields.iter().enumerate() {
        let before = if at == 0 { " (" } else { ", " };
        // Writing to a text cannot fail.
        let _written = write!(line, "{before}{key}: {value}");
    }
    if !fields.is_empty() {
        line.push(')');
    }
    let line = line.replace(char::is_control, " ");
    shortened(&line, MAX_LINE).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE, line};

    #[test]
    fn text_and_fields_are_one_line() {
        let seen = line(format_args!("a\nb\x1b[2J"), &[("flow", &"Desk"), ("turn", &1)]);
        assert_eq!(seen, "a b [2J (flow: Desk, turn: 1)");
        assert_eq!(line(format_args!("alone"), &[]), "alone");
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let text = "ü".repeat(10 * MAX_LINE);
        assert_eq!(line(format_args!("{text}"), &[]), format!("{}…", "ü".repeat(MAX_LINE)));
    }
}
