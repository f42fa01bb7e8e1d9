//! Snapshots of expansions, one for each shape. `UPDATE_EXPECT=1 cargo test -p picoflow-macros` writes
//! them anew.

use expect_test::{ExpectFile, expect_file};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;

fn check(args: TokenStream, item: &TokenStream, expected: &ExpectFile) {
    is_expanded_to(crate::expand::tools(args, item), expected);
}

fn is_expanded_to(tokens: TokenStream, expected: &ExpectFile) {
    let file = syn::parse2(tokens).expect("an expansion is made of items");
    expected.assert_eq(&prettyplease::unparse(&file));
}

#[test]
fn a_step_keeps_its_hooks_and_gets_a_table() {
    check(
        quote!(),
        &quote! {
            impl Step for NameStep {
                fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
                    "Ask.".into()
                }

                /// Capture name of user
                #[tool(define)]
                async fn user_name(&self, cx: &mut Cx<'_>, Args(user): Args<UserName>) -> ToolResponse {
                    go(DobStep::ID)
                }
            }
        },
        &expect_file!["../tests/snapshots/step.rs"],
    );
}

#[test]
fn named_parameters_become_fields() {
    check(
        quote!(),
        &quote! {
            impl Step for NameStep {
                #[tool]
                fn user_name(
                    &self,
                    call: &ToolCall,
                    /// Complete name
                    #[schemars(length(min = 3))]
                    name: String,
                    r#type: Option<u8>,
                ) -> Result<ToolResponse, NameError> {
                    stay()
                }
            }
        },
        &expect_file!["../tests/snapshots/named_parameters.rs"],
    );
}

#[test]
fn every_kind_of_row() {
    check(
        quote!(),
        &quote! {
            impl<T: Send + Sync + 'static> Step for flows::Generic<T> where T: Clone {
                const ID: StepId = StepId::new("Other");
                const LIMIT: usize = 3;

                #[tool("leave", overrides)]
                #[tool("stop", define, description = STOP, schema = no_fields)]
                fn end_chat(&self) -> ToolResponse {
                    direct_to("End", "Bye.")
                }

                #[cfg(feature = "pairs")]
                #[tools(["b", "a"])]
                async fn both(&self, calls: &[ToolCall], cx: &Cx<'_>) -> ToolResponse {
                    stay()
                }

                async fn by_name(&self, call: ToolCall) -> ToolResponse {
                    stay()
                }

                fn group_by_name(&self, calls: &[ToolCall]) -> ToolResponse {
                    stay()
                }

                pub fn helper(&self) -> bool {
                    self.last == Self::ID
                }
            }
        },
        &expect_file!["../tests/snapshots/rows.rs"],
    );
}

#[test]
fn types_decide_where_names_cannot() {
    check(
        quote!(),
        &quote! {
            impl Step for Desk {
                fn native_tools(&self) -> Vec<NativeTool> {
                    self.tools.clone()
                }

                /// Leave
                async fn leave(&self, cx: &mut Cx<'_>, reason: String) -> Reply {
                    self.farewell()
                }

                /// Says good bye.
                pub fn farewell(&self) -> Json<u8> {
                    Json(1)
                }
            }
        },
        &expect_file!["../tests/snapshots/by_types.rs"],
    );
}

#[test]
fn a_step_lists_its_parts() {
    check(
        quote!(crate = crate::facade, parts("billing", "returns")),
        &quote!(impl Step for SupportStep {}),
        &expect_file!["../tests/snapshots/parts.rs"],
    );
}

#[test]
fn a_part_asks_to_be_listed() {
    check(
        quote!(part = "billing"),
        &quote! {
            #[cfg(feature = "billing")]
            impl SupportStep {
                #[tool]
                pub(crate) fn refund(&self) -> ToolResponse {
                    stay()
                }
            }
        },
        &expect_file!["../tests/snapshots/part.rs"],
    );
}

#[test]
fn the_users_code_survives_its_errors() {
    check(
        quote!(),
        &quote! {
            impl Step for NameStep {
                #[tool(nme = "a")]
                fn a(&mut self) -> ToolResponse {
                    stay()
                }

                #[tool]
                fn b(&self) -> ToolResponse {
                    stay()
                }
            }
        },
        &expect_file!["../tests/snapshots/errors.rs"],
    );
}

#[test]
fn a_collection_keeps_its_methods_and_gets_rows() {
    check(
        quote!(),
        &quote! {
            impl<T: Send> Orders<T> {
                /// Fetch an order by id
                #[tool]
                async fn lookup_order(&self, id: String) -> Result<Json<Order>, OrderError> {
                    self.fetch(id).await
                }

                #[cfg(unix)]
                #[tool("cancel_order", description = CANCEL, schema = a_schema, strict, lenient)]
                fn cancel(&self, cx: &ToolContext, call: ToolCall) -> String {
                    String::new()
                }

                fn helper(&self, call: ToolCall) -> ToolResponse {
                    stay()
                }
            }
        },
        &expect_file!["../tests/snapshots/collection.rs"],
    );
}

#[test]
fn a_function_is_registered() {
    is_expanded_to(
        crate::expand::tool(
            quote!(),
            &quote! {
                /// Greet someone by name
                #[tool("hello", crate = ::flow)]
                pub(crate) async fn greet(
                    /// Who
                    name: String,
                    cx: &ToolContext,
                ) -> String {
                    String::new()
                }
            },
        ),
        &expect_file!["../tests/snapshots/function.rs"],
    );
}

/// Every input that is one token short of a good one is answered, with errors at most.
#[test]
fn no_input_makes_the_macro_panic() {
    let block = quote! {
        #[cfg(all())]
        impl<T: Send> Step for flows::Generic<T> where T: Clone {
            const ID: StepId = StepId::new("Other");
            /// Text
            #[doc = include_str!("text.md")]
            #[tool("leave", define, description = STOP, schema = a::b)]
            async fn leave(&self, cx: &mut Cx<'_>, #[serde(default)] name: Option<u8>) -> Result<ToolResponse, E> {
                go(<X<T> as Step>::ID)
            }
            #[cfg_attr(x, cfg(y))]
            #[tools(["b", "a"])]
            fn both(&self, calls: &[ToolCall]) -> ToolResponse { go("End") }
            fn by_name(&self, Args(a): Args<Vec<u8>>, call: ToolCall) -> ToolResponse { Self::ID; }
            macro_call!();
        }
    };
    let args = quote!(crate = a::b, parts("billing", "returns"));
    for block in one_token_short(block.clone()) {
        drop(crate::expand::tools(args.clone(), &block));
        drop(crate::expand::tool(TokenStream::new(), &block));
    }
    for args in one_token_short(args) {
        drop(crate::expand::tools(args, &block));
    }
    let native = quote! {
        impl<T> Orders<T> {
            /// Text
            #[tool("leave", description = STOP, schema = a::b, lenient)]
            fn leave(&self, cx: &ToolContext, #[serde(default)] name: Option<u8>) -> Result<String, E> {}
        }
    };
    for block in one_token_short(native) {
        drop(crate::expand::tools(TokenStream::new(), &block));
    }
    let function = quote! {
        #[cfg(unix)]
        #[tool("b", description = concat!("a", "b"))]
        pub(super) async fn leave(cx: &a::ToolContext, Args(a): Args<Vec<u8>>) -> Result<Self, E> {}
    };
    for function in one_token_short(function.clone()) {
        drop(crate::expand::tool(quote!("a", strict), &function));
    }
    for args in one_token_short(quote!("a", strict, description = X, crate = a::b)) {
        drop(crate::expand::tool(args, &function));
    }
}

fn one_token_short(tokens: TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut shorter = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let with = |replacement: Option<TokenTree>| -> TokenStream {
            let before = tokens.iter().take(index).cloned();
            let after = tokens.iter().skip(index + 1).cloned();
            before.chain(replacement).chain(after).collect()
        };
        shorter.push(with(None));
        if let TokenTree::Group(group) = token {
            let inner = one_token_short(group.stream()).into_iter();
            shorter
                .extend(inner.map(|inner| with(Some(Group::new(group.delimiter(), inner).into()))));
        }
    }
    shorter
}
