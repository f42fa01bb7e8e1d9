//! A `match` written by hand: what a call costs without a framework.

use crate::{ARGUMENTS, CALLS, Row, expect};
use peers_tools::{
    Answer,
    floor::{ten, two_hundred},
};
use std::hint::black_box;

type Call = for<'a> fn(&'a str, &'a str) -> Answer<'a>;

pub(crate) async fn add(rows: &mut Vec<Row>) {
    for (case, count, tool, sum) in CALLS {
        let call: Call = if count == 10 { ten::call } else { two_hundred::call };
        expect(&call(tool, ARGUMENTS).await, sum);
        rows.push(Row::new(
            case,
            "floor: a hand-written `match`",
            call,
            async move |call: &mut Call| {
                black_box(call(black_box(tool), black_box(ARGUMENTS)).await.is_ok());
            },
        ));
    }
}
