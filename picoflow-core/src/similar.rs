//! Did you mean …?

/// How alike two names have to be.
const ALIKE: f64 = 0.8;

/// The candidate that is most like `name`, if one is alike at all.
pub(crate) fn most_like<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(candidate, name), candidate))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_that_is_alike_is_named() {
        let names = ["get_weather", "user_name"];
        assert_eq!(most_like("get_wether", names), Some("get_weather"));
        assert_eq!(most_like("book", names), None);
        assert_eq!(most_like("book", []), None);
    }
}
