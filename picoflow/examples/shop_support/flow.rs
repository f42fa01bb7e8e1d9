//! The steps: who it is, what they want, returns, bills, and the end.

use super::{
    catalog::{self, ORDERS, Order, price},
    ledger::Ledger,
};
use picoflow::prelude::*;
use std::sync::Arc;

/// Refunds above this need a supervisor, in cents.
const LIMIT: i64 = 20_000;

/// How often a customer may try to say who they are.
const TRIES: u64 = 3;

/// The back end that pays.
pub(crate) type Backend = Arc<dyn Ledger>;

pub(crate) struct ShopSupport {
    pub(crate) model: ModelRef,
    pub(crate) ledger: Backend,
}

impl Flow for ShopSupport {
    const ID: FlowId = FlowId::new("ShopSupport");

    fn model(&self) -> ModelRef {
        self.model.clone()
    }

    fn steps(&self) -> Steps {
        Steps::new()
            .add(Identify)
            .add(Help(Arc::clone(&self.ledger)))
            .add(Approval(Arc::clone(&self.ledger)))
            .add(Billing(Arc::clone(&self.ledger)))
            .add(Close)
    }
}

/// Who the customer has shown to be. Nothing that the model says counts.
fn customer(cx: &Cx<'_>) -> Result<String, ToolError> {
    let email = cx.step_state(Identify::ID)["customer"].as_str().map(str::to_owned);
    email.ok_or_else(|| ToolError::abort("the customer is not known in a step that needs one"))
}

/// An order of the customer, or what to tell the model.
fn own_order(cx: &Cx<'_>, id: &str) -> Result<&'static Order, ToolError> {
    let found = catalog::order(&customer(cx)?, id);
    found.ok_or_else(|| ToolError::feedback(format!("This customer has no order `{id}`.")))
}

/// Nobody gets further who is not known.
pub(crate) struct Identify;

#[tools]
impl Step for Identify {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "You are the support of a furniture shop. Ask for the customer's email and zip code, then call `identify`. Say \
         nothing about orders before that."
            .into()
    }

    /// Check who the customer is
    #[tool(define)]
    fn identify(&self, cx: &mut Cx<'_>, email: String, zip: String) -> ToolResponse {
        if let Some(customer) = catalog::customer(&email, &zip) {
            cx.save_state(json!({ "customer": customer }));
            return go(Help::ID).saying("Thank you, I have found your account.");
        }
        let tries = cx.state()["tries"].as_u64().unwrap_or(0) + 1;
        cx.save_state(json!({ "tries": tries }));
        if tries >= TRIES {
            return finish("I could not find out who you are. Please write to help@example.com.");
        }
        stay_with("No account has this email and zip code. Ask the customer to check both.")
    }
}

/// What the customer wants.
pub(crate) struct Help(Backend);

#[tools]
impl Step for Help {
    fn prompt(&self, cx: &Cx<'_>) -> Prompt {
        let orders = customer(cx).map(|customer| {
            let own = ORDERS.iter().filter(|order| order.customer == customer);
            let own = own.map(|order| {
                let state = if order.is_delivered { "delivered" } else { "on its way" };
                format!("{}: {}, {}, {state}", order.id, order.what, price(order.cents))
            });
            own.collect::<Vec<_>>().join("; ")
        });
        format!(
            "Help with the customer's orders: {}. For a return call `return_order`, for bills `billing`, and when the customer \
             needs nothing more `close`.",
            orders.unwrap_or_default()
        )
        .into()
    }

    /// Take an order back and refund it
    #[tool(define)]
    async fn return_order(
        &self,
        cx: &mut Cx<'_>,
        order: String,
    ) -> Result<ToolResponse, ToolError> {
        let order = own_order(cx, &order)?;
        if !order.is_delivered {
            return Ok(stay_with(
                "This order is still on its way: it can be returned once it is there.",
            ));
        }
        if order.cents > LIMIT {
            self.0.ask(order.id, order.cents).await.map_err(ToolError::internal)?;
            cx.save_step_state(Approval::ID, json!({ "order": order.id }));
            return Ok(go(Approval::ID)
                .saying("A return of this size needs my supervisor's approval. I have asked."));
        }
        Ok(stay_with(refund(cx, &self.0, order).await?))
    }

    /// The customer has a question about a bill
    #[tool(define)]
    fn billing(&self) -> ToolResponse {
        go(Billing::ID)
    }

    /// The customer needs nothing more
    #[tool(define)]
    fn close(&self) -> ToolResponse {
        go(Close::ID)
    }
}

/// Pays, and says so. A turn that is run again, since its session could not be stored, finds what it has paid.
async fn refund(cx: &Cx<'_>, ledger: &Backend, order: &Order) -> Result<String, ToolError> {
    let key = cx.idempotency_key();
    let is_ours = ledger.refund(&key, order.id, order.cents).await.map_err(ToolError::internal)?;
    Ok(if is_ours {
        format!("{} are on their way to you for {}.", price(order.cents), order.what)
    } else {
        format!("The refund for {} was paid before.", order.what)
    })
}

/// A large return waits for a person. Neither the customer nor the model can approve it.
pub(crate) struct Approval(Backend);

#[tools]
impl Step for Approval {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "The return waits for a supervisor. When the customer asks how it stands, call `check_approval`; when they do not want to \
         wait, `do_not_wait`. You cannot approve it."
            .into()
    }

    /// See what the supervisor has decided
    #[tool(define)]
    async fn check_approval(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let id = cx.state()["order"].as_str().map(str::to_owned).unwrap_or_default();
        let order = own_order(cx, &id)?;
        Ok(match self.0.decision(order.id).await.map_err(ToolError::internal)? {
            None => stay_with("The supervisor has not decided yet."),
            Some(false) => {
                go(Help::ID).saying("I am sorry: my supervisor has declined this return.")
            }
            Some(true) => {
                let refunded = refund(cx, &self.0, order).await?;
                go(Help::ID).saying(format!("My supervisor has approved. {refunded}"))
            }
        })
    }

    /// The customer does not want to wait
    #[tool(define)]
    fn do_not_wait(&self) -> ToolResponse {
        go(Help::ID).saying("The question stays open; just ask again later.")
    }
}

/// Bills.
pub(crate) struct Billing(Backend);

#[tools]
impl Step for Billing {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Answer questions about bills. Call `bill` with the order's id; when the customer wants something else, `back`.".into()
    }

    /// What was paid for an order, and what was refunded
    #[tool(define)]
    async fn bill(&self, cx: &mut Cx<'_>, order: String) -> Result<ToolResponse, ToolError> {
        let order = own_order(cx, &order)?;
        let refunded = self.0.refunded(order.id).await.map_err(ToolError::internal)?;
        let (paid, refunded) = (price(order.cents), price(refunded));
        Ok(stay_with(format!("{}, {}: paid {paid}, refunded {refunded}.", order.id, order.what)))
    }

    /// Something else than bills
    #[tool(define)]
    fn back(&self) -> ToolResponse {
        go(Help::ID)
    }
}

/// The end.
pub(crate) struct Close;

#[tools]
impl Step for Close {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Ask how many stars the customer gives, from 1 to 5, then call `rate`.".into()
    }

    /// How the customer liked it
    #[tool(define)]
    fn rate(
        &self,
        cx: &mut Cx<'_>,
        #[schemars(range(min = 1, max = 5))] stars: u8,
    ) -> ToolResponse {
        // The schema says so too, but it may not be checked: see the feature `validate`.
        if !(1..=5).contains(&stars) {
            return stay_with("Ask for 1 to 5 stars.");
        }
        cx.save_state(json!({ "stars": stars }));
        finish("Thank you for your time. Good bye!")
    }
}
