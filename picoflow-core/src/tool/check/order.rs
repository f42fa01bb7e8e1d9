//! Order and equality of names.

use super::MOST;

/// Shell sort of the first `len` names: short, and few steps.
pub(super) const fn sort(names: &mut [&'static str; MOST], len: usize) {
    const GAPS: [usize; 9] = [701, 301, 132, 57, 23, 10, 4, 1, 0];
    let mut g = 0;
    while GAPS[g] > 0 {
        let gap = GAPS[g];
        let mut i = gap;
        while i < len {
            let name = names[i];
            let mut j = i;
            while j >= gap && is_before(name, names[j - gap]) {
                names[j] = names[j - gap];
                j -= gap;
            }
            names[j] = name;
            i += 1;
        }
        g += 1;
    }
}

/// Any total order will do. Names differ in length or at the end sooner than at the start.
const fn is_before(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return a.len() < b.len();
    }
    let mut i = a.len();
    while i > 0 {
        i -= 1;
        if a[i] != b[i] {
            return a[i] < b[i];
        }
    }
    false
}

pub(super) const fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && !is_before(a, b) && !is_before(b, a)
}

/// Whether two sorted sets are one.
pub(super) const fn same_set(a: &[&str], b: &[&str]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if !same(a[i], b[i]) {
            return false;
        }
        i += 1;
    }
    true
}
