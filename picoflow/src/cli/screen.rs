//! What a person sees of a conversation.

use anstream::{AutoStream, ColorChoice};
use std::io::{self, Write};

/// The most characters of a line beside the conversation.
const WIDEST: usize = 160;

/// Texts, and lines beside them: dim where colours are wanted, in brackets elsewhere.
pub(super) struct Screen<W> {
    out: W,
    is_styled: bool,
    is_within_line: bool,
}

impl Screen<AutoStream<io::Stdout>> {
    /// With the same rule for colours as clap: a terminal, `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`, `TERM`.
    pub(super) fn new() -> Self {
        let out = AutoStream::auto(io::stdout());
        Self { is_styled: out.current_choice() != ColorChoice::Never, out, is_within_line: false }
    }
}

impl<W: Write> Screen<W> {
    /// More of a text.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        if let Some(last) = text.chars().last() {
            self.out.write_all(shown(text).as_bytes())?;
            self.is_within_line = last != '\n';
        }
        self.out.flush()
    }

    /// Ends the text, if there is one.
    pub(super) fn end_text(&mut self) -> io::Result<()> {
        if self.is_within_line { self.text("\n") } else { Ok(()) }
    }

    /// A whole text.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        self.end_text()?;
        self.text(text)?;
        self.end_text()
    }

    /// One line on how the conversation goes.
    pub(super) fn aside(&mut self, text: &str) -> io::Result<()> {
        self.end_text()?;
        let text = shortened(text);
        if self.is_styled {
            writeln!(self.out, "\x1b[2m{text}\x1b[0m")
        } else {
            writeln!(self.out, "[{text}]")
        }
    }

    /// Asks a person for a line; what is typed ends it.
    pub(super) fn prompt(&mut self) -> io::Result<()> {
        self.out.write_all(b"> ")?;
        self.out.flush()
    }
}

/// What a model, a tool or a server says may move the cursor, turn the text around or worse: it is shown without what steers a
/// terminal. A line may end as on other systems.
pub(super) fn shown(text: &str) -> String {
    let is_around = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_harmful = |c: char| is_around(c) || c.is_control() && !matches!(c, '\n' | '\t');
    text.replace("\r\n", "\n").replace(is_harmful, "\u{fffd}")
}

/// In one line.
fn shortened(text: &str) -> String {
    let text = shown(text).replace('\n', " ");
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{Screen, WIDEST};

    fn seen(is_styled: bool, say: impl Fn(&mut Screen<&mut Vec<u8>>)) -> String {
        let mut out = Vec::new();
        say(&mut Screen { out: &mut out, is_styled, is_within_line: false });
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_aside_has_a_line_of_its_own_also_within_a_text() {
        let seen = seen(false, |screen| {
            screen.text("One mo").unwrap();
            screen.text("ment.").unwrap();
            screen.aside("look_up\n{}").unwrap();
            screen.line("Done.\n").unwrap();
            screen.line("").unwrap();
        });
        assert_eq!(seen, "One moment.\n[look_up {}]\nDone.\n");
    }

    #[test]
    fn nothing_that_is_shown_steers_the_terminal() {
        let seen = seen(true, |screen| {
            screen.line("\x1b[2Ja\tb\r\u{9b}").unwrap();
            screen.aside("\x1b]0;title\x07").unwrap();
        });
        assert_eq!(
            seen,
            "\u{fffd}[2Ja\tb\u{fffd}\u{fffd}\n\x1b[2m\u{fffd}]0;title\u{fffd}\x1b[0m\n"
        );
    }

    #[test]
    fn a_long_aside_is_cut_between_characters() {
        let seen = seen(false, |screen| screen.aside(&"ü".repeat(1000)).unwrap());
        assert_eq!(seen, format!("[{}…]\n", "ü".repeat(WIDEST)));
    }
}
