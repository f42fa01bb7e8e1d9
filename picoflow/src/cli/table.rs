//! Columns for a person.

use std::fmt::Write;

/// Rows whose columns stand below each other, without spaces at the end of a line.
pub(super) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (width, cell) in widths.iter().zip(row) {
            // Writing to a text cannot fail.
            let _written = write!(line, "{cell:width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_begin_below_each_other_and_nothing_stands_at_the_end_of_a_line() {
        let rows = [["a", "größer", ""], ["bbb", "c", "d"]].map(|row| row.map(str::to_owned));
        assert_eq!(table(&rows), "a    größer\nbbb  c       d\n");
        assert_eq!(table::<1>(&[]), "");
    }
}
