//! Names of tools that every provider takes.

/// The most letters that a name may have.
const MAX_LETTERS: usize = 64;

/// Whether every provider takes the name: `^[a-zA-Z0-9_-]{1,64}$`.
pub(crate) fn is_tool_name(name: &str) -> bool {
    (1..=MAX_LETTERS).contains(&name.len()) && name.bytes().all(is_plain)
}

/// The nearest name that every provider takes and that `is_taken` leaves free.
pub(crate) fn tool_name(word: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let plain = |letter: char| match u8::try_from(letter) {
        Ok(byte) if is_plain(byte) => letter,
        _ => '_',
    };
    let mut base: String = word.chars().map(plain).take(MAX_LETTERS).collect();
    if base.bytes().all(|byte| byte == b'_') {
        "unknown_tool".clone_into(&mut base);
    }
    let mut name = base.clone();
    let mut number = 2_u64;
    while is_taken(&name) {
        let suffix = format!("_{number}");
        let room = MAX_LETTERS.saturating_sub(suffix.len());
        name = base.chars().take(room).collect();
        name.push_str(&suffix);
        number += 1;
    }
    name
}

const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_1_to_64_plain_letters() {
        for good in ["a", "look_up", "Look-Up-2", &"a".repeat(64)] {
            assert!(is_tool_name(good), "{good}");
        }
        for bad in ["", "look up", "functions.look_up", "größe", "a\n", &"a".repeat(65)] {
            assert!(!is_tool_name(bad), "{bad}");
        }
    }

    #[test]
    fn any_word_becomes_a_name() {
        for (word, name) in [
            ("functions.look up", "functions_look_up"),
            ("multi_tool_use.parallel", "multi_tool_use_parallel"),
            ("größe", "gr__e"),
            ("", "unknown_tool"),
            ("検索", "unknown_tool"),
            (" \n", "unknown_tool"),
        ] {
            assert_eq!(tool_name(word, |_| false), name);
        }
        assert_eq!(tool_name(&"a".repeat(100), |_| false), "a".repeat(64));
    }

    #[test]
    fn a_taken_name_is_left_alone() {
        let taken = ["look_up", "look_up_2"];
        assert_eq!(tool_name("look up", |name| taken.contains(&name)), "look_up_3");
        let long = "a".repeat(64);
        let name = tool_name(&"a".repeat(100), |name| name == long);
        assert_eq!(name, format!("{}_2", "a".repeat(62)));
        assert!(is_tool_name(&name));
    }
}
