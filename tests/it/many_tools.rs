//! A step with two hundred tools.

use crate::support::{Talk, answers, offered};
use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel},
};

macro_rules! tens {
    ($($name:ident)*) => {
        struct Many;

        #[tools]
        impl Step for Many {
            $(
                /// One of many
                #[tool(define)]
                fn $name(&self, n: u32) -> Json<String> {
                    Json(format!("{} {n}", stringify!($name)))
                }
            )*
        }

        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

macro_rules! two_hundred {
    ($($row:ident: $($name:ident)*;)*) => { tens! { $($($name)*)* } };
}

two_hundred! {
    a: a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 aa ab ac ad ae af ag ah ai aj;
    b: b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 ba bb bc bd be bf bg bh bi bj;
    c: c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 ca cb cc cd ce cf cg ch ci cj;
    d: d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 da db dc dd de df dg dh di dj;
    e: e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 ea eb ec ed ee ef eg eh ei ej;
    f: f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 fa fb fc fd fe ff fg fh fi fj;
    g: g0 g1 g2 g3 g4 g5 g6 g7 g8 g9 ga gb gc gd ge gf gg gh gi gj;
    h: h0 h1 h2 h3 h4 h5 h6 h7 h8 h9 ha hb hc hd he hf hg hh hi hj;
    i: i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 ia ib ic id ie ig ih ii ij ik;
    j: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 ja jb jc jd je jf jg jh ji jj;
}

#[tokio::test]
async fn two_hundred_tools_of_one_block_are_all_offered_and_each_is_called() {
    assert_eq!(NAMES.len(), 200);
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("go"), NAMES.iter().map(|&name| (name, json!({ "n": 7 }))))
        .on(Rule::new(), "done");
    let mut talk = Talk::new(Steps::new().add(Many), model).await;
    talk.say("go").await;
    let request = talk.last_request();
    assert_eq!(offered(&request), NAMES);
    let expected: Vec<_> = NAMES.iter().map(|name| format!("\"{name} 7\"")).collect();
    assert_eq!(answers(&request), expected);
}

#[tokio::test]
async fn a_model_that_calls_an_unknown_tool_is_told_the_first_hundred_names() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("go"), [("unknown", json!({ "n": 7 }))])
        .on(Rule::new(), "done");
    let mut talk = Talk::new(Steps::new().add(Many), model).await;
    talk.say("go").await;
    let told = answers(&talk.last_request()).concat();
    let expected = format!(
        "Tool 'unknown' does not exist here. The tools here are: {}, and 100 more.",
        NAMES[..100].join(", ")
    );
    assert_eq!(told, expected);
}
