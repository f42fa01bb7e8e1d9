//! The dispatcher against a naive model of the reference product's prototype rules, over random chains of bases,
//! tables and replies.

use picoflow::{
    BoxFuture,
    model::{ChatModel, ChatRequest, ModelError},
    no_arguments,
    prelude::*,
    session::{MessageKind, check_history},
};
use proptest::{
    collection::vec,
    prelude::{Strategy, any},
    sample::{Index, select},
    test_runner::{Config, TestCaseError, TestRunner},
};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
};

const CASES: u32 = 10_000;

/// Every tool that the flow defines.
const TOOLS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// What each step of the pool is made with.
struct Parts {
    base: Option<Box<dyn AnyStep>>,
    uses: Vec<&'static str>,
}

/// One class of the pool, as the naive model reads it.
struct Class {
    name: &'static str,
    /// Annotated methods, each with its tools.
    tools: &'static [(&'static str, &'static [&'static str])],
    groups: &'static [(&'static str, &'static [&'static str])],
    /// Methods without an attribute.
    plain: &'static [&'static str],
    make: fn(Parts) -> Box<dyn AnyStep>,
}

/// Writes each class twice: as a step for the dispatcher, as data for the model.
macro_rules! pool {
    ($($class:ident {
        tools { $($method:ident: $($tool:literal),+;)* }
        groups { $($group:ident: $($member:literal),+;)* }
        plain { $($plain:ident;)* }
    })*) => {
        $(
            struct $class(Parts);

            #[tools]
            impl Step for $class {
                const ID: StepId = StepId::new("Subject");

                fn base(&self) -> Option<&dyn AnyStep> {
                    self.0.base.as_deref()
                }

                fn use_tools(&self) -> Vec<Cow<'static, str>> {
                    self.0.uses.iter().copied().map(Cow::Borrowed).collect()
                }

                $(
                    $(#[tool($tool)])+
                    fn $method(&self) -> ToolResponse {
                        stay_with(concat!(stringify!($class), "::", stringify!($method)))
                    }
                )*

                $(
                    #[tools([$($member),+])]
                    fn $group(&self, calls: &[ToolCall]) -> ToolResponse {
                        let names: Vec<_> = calls.iter().map(ToolCall::name).collect();
                        stay_with(format!(
                            concat!(stringify!($class), "::", stringify!($group), " of {}"),
                            names.join("+"),
                        ))
                    }
                )*

                $(
                    fn $plain(&self) -> ToolResponse {
                        stay_with(concat!(stringify!($class), "::", stringify!($plain)))
                    }
                )*
            }
        )*

        const POOL: &[Class] = &[$(
            Class {
                name: stringify!($class),
                tools: &[$((stringify!($method), &[$($tool),+])),*],
                groups: &[$((stringify!($group), &[$($member),+])),*],
                plain: &[$(stringify!($plain)),*],
                make: |parts| Box::new($class(parts)),
            },
        )*];
    };
}

pool! {
    Empty { tools {} groups {} plain {} }
    OneTool { tools { m1: "a"; } groups {} plain {} }
    SameMethod { tools { m1: "b"; } groups {} plain {} }
    TwoNames { tools { m1: "a", "c"; m2: "b"; } groups {} plain {} }
    OtherMethod { tools { m2: "a"; m3: "d"; } groups {} plain {} }
    Override { tools {} groups {} plain { m1; m2; } }
    ByName { tools {} groups {} plain { a; c; e; } }
    NamedLikeAnother { tools { a: "b"; c: "d"; } groups {} plain {} }
    Pair { tools { m1: "a"; m2: "b"; } groups { g1: "a", "b"; } plain {} }
    PairAgain { tools { m4: "e"; } groups { g2: "b", "a"; g1: "c"; } plain {} }
    Alone { tools { m1: "a"; } groups { g3: "a"; } plain { d; } }
    GroupOnly { tools {} groups { g1: "a", "b", "c"; g3: "e"; } plain {} }
    Mixed { tools { m3: "c"; b: "e"; } groups { g2: "c", "e"; } plain { a; m1; } }
}

/// A random subject: classes nearest first, what the nearest one's `use_tools` says, and replies to it.
#[derive(Debug)]
struct Case {
    chain: Vec<Index>,
    uses: Vec<&'static str>,
    replies: Vec<Vec<&'static str>>,
}

fn cases() -> impl Strategy<Value = Case> {
    let called = ["a", "b", "c", "d", "e", "invented"];
    let reply = vec(select(called.to_vec()), 1..6);
    let uses = vec(select(TOOLS.to_vec()), 0..4);
    let parts = (vec(any::<Index>(), 1..5), uses, vec(reply, 1..4));
    parts.prop_map(|(chain, uses, replies)| Case { chain, uses, replies })
}

/// The rules, read off the reference's pages and nothing else.
struct Naive<'a> {
    chain: Vec<&'a Class>,
    exposed: Vec<&'static str>,
}

impl<'a> Naive<'a> {
    fn new(chain: Vec<&'a Class>, uses: &[&'static str]) -> Self {
        let mut exposed = Vec::new();
        let annotated = chain.iter().rev().flat_map(|class| class.tools);
        let annotated = annotated.flat_map(|(_, tools)| *tools);
        for tool in uses.iter().chain(annotated) {
            if !exposed.contains(tool) {
                exposed.push(*tool);
            }
        }
        Self { chain, exposed }
    }

    /// What is answered to each call, in order.
    fn answers(&self, reply: &[&str]) -> Vec<String> {
        let names: BTreeSet<_> = reply.iter().copied().collect();
        let all_exposed = names.iter().all(|name| self.exposed.contains(name));
        let group = self.chain.iter().flat_map(|class| class.groups);
        let mut group =
            group.filter(|(_, set)| set.iter().copied().collect::<BTreeSet<_>>() == names);
        if let (true, Some((method, _))) = (all_exposed, group.next()) {
            let answer = format!("{} of {}", self.nearest(method), reply.join("+"));
            return vec![answer; reply.len()];
        }
        reply.iter().map(|name| self.answer(name)).collect()
    }

    fn answer(&self, tool: &str) -> String {
        if !self.exposed.contains(&tool) {
            return format!("Tool '{tool}' does not exist here.");
        }
        let annotated = self.chain.iter().flat_map(|class| class.tools);
        let mut annotated = annotated.filter(|(_, tools)| tools.contains(&tool));
        if let Some((method, _)) = annotated.next() {
            return self.nearest(method);
        }
        if self.chain.iter().any(|class| class.plain.contains(&tool)) {
            return self.nearest(tool);
        }
        "input validated".to_owned()
    }

    /// The class whose method of this name the instance has.
    fn nearest(&self, method: &str) -> String {
        let has = |class: &&&Class| {
            let annotated = class.tools.iter().chain(class.groups).map(|(name, _)| *name);
            annotated.chain(class.plain.iter().copied()).any(|name| name == method)
        };
        let class = self.chain.iter().find(has).unwrap();
        format!("{}::{method}", class.name)
    }
}

/// The nearest class with all its bases.
struct Subject(Box<dyn AnyStep>);

impl Subject {
    fn new(chain: &[&Class], uses: &[&'static str]) -> Self {
        let base = chain
            .iter()
            .rev()
            .fold(None, |base, class| Some((class.make)(Parts { base, uses: uses.to_vec() })));
        Self(base.unwrap())
    }
}

/// A step that is nothing but its base: a flow takes steps by type, and the classes are drawn.
struct Shell(Subject);

#[tools]
impl Step for Shell {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&*self.0.0)
    }
}

struct CaseFlow(std::sync::Mutex<Option<Shell>>);

impl Flow for CaseFlow {
    const ID: FlowId = FlowId::new("CaseFlow");

    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(self.0.lock().unwrap().take().unwrap())
    }

    fn define_tools(&self) -> Vec<ToolDefinition> {
        let tool = |name| ToolDefinition::new(name, "A tool", no_arguments());
        TOOLS.map(tool).into()
    }
}

/// Says each reply once, with a closing word behind it.
struct Script {
    replies: Vec<Vec<&'static str>>,
    calls: AtomicUsize,
}

impl ChatModel for Script {
    fn generate(&self, _request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let reply = if call % 2 == 1 {
            ModelReply::text("done")
        } else {
            let names = self.replies[call / 2].iter().enumerate();
            ModelReply::calls(
                names.map(|(i, name)| ToolCall::new(format!("call_{call}_{i}"), *name, &json!({}))),
            )
        };
        Box::pin(std::future::ready(Ok(reply)))
    }
}

async fn check(case: &Case) -> Result<(), TestCaseError> {
    let chain: Vec<&Class> = case.chain.iter().map(|index| index.get(POOL)).collect();
    let naive = Naive::new(chain.clone(), &case.uses);
    let shell = Shell(Subject::new(&chain, &case.uses));
    let model = Script { replies: case.replies.clone(), calls: AtomicUsize::new(0) };
    let engine =
        Engine::builder().flow(CaseFlow(Some(shell).into())).model(model).build().await.unwrap();
    let step = engine.flow("CaseFlow").unwrap().step("Shell").unwrap();
    let exposed: Vec<_> = step.tools().map(ToolDefinition::name).collect();
    assert_eq!(exposed, naive.exposed);

    let mut session: Option<String> = None;
    let mut seen = 0;
    for reply in &case.replies {
        let mut turn = Turn::new("CaseFlow").message("go on");
        if let Some(id) = &session {
            turn = turn.session(id);
        }
        let id = engine.run(turn).await.unwrap().session;
        let document = engine.session(&id).await.unwrap().unwrap();
        check_history(&document).unwrap();
        let answers = document.flow.memory["Shell"].messages.iter().filter_map(|message| {
            let is_answer = matches!(message.kind, MessageKind::Tool { .. });
            is_answer.then_some(&*message.content)
        });
        let answers: Vec<_> = answers.skip(seen).collect();
        let expected = naive.answers(reply);
        assert_eq!(answers.len(), expected.len());
        for (answer, expected) in answers.iter().zip(&expected) {
            assert!(answer.starts_with(&**expected), "{answer} for {expected}");
        }
        seen += answers.len();
        session = Some(id);
    }
    Ok(())
}

#[test]
fn the_dispatcher_agrees_with_the_prototype_rules_on_random_chains_tables_and_replies() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&cases(), |case| runtime.block_on(check(&case)));
    result.unwrap();
    println!("{CASES} cases");
}
