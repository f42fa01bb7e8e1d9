//! The shop's customers and orders, which a real shop has in its own systems.

/// One order.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) id: &'static str,
    pub(crate) customer: &'static str,
    pub(crate) what: &'static str,
    pub(crate) cents: i64,
    pub(crate) is_delivered: bool,
}

/// By email and zip code.
const CUSTOMERS: [(&str, &str); 2] = [("ann@example.com", "97201"), ("bob@example.com", "85001")];

pub(crate) const ORDERS: [Order; 4] = [
    Order {
        id: "W100",
        customer: "ann@example.com",
        what: "a lamp",
        cents: 4_900,
        is_delivered: true,
    },
    Order {
        id: "W101",
        customer: "ann@example.com",
        what: "a sofa",
        cents: 89_900,
        is_delivered: true,
    },
    Order {
        id: "W102",
        customer: "ann@example.com",
        what: "a rug",
        cents: 12_500,
        is_delivered: false,
    },
    Order {
        id: "W200",
        customer: "bob@example.com",
        what: "a desk",
        cents: 25_000,
        is_delivered: true,
    },
];

/// The customer's email as the shop writes it, if it knows one with this zip code.
pub(crate) fn customer(email: &str, zip: &str) -> Option<&'static str> {
    let is = |(known, place): &&(&str, &str)| {
        known.eq_ignore_ascii_case(email.trim()) && *place == zip.trim()
    };
    CUSTOMERS.iter().find(is).map(|(known, _)| *known)
}

/// An order, if it is this customer's.
pub(crate) fn order(customer: &str, id: &str) -> Option<&'static Order> {
    let id = id.trim();
    ORDERS.iter().find(|order| order.customer == customer && order.id.eq_ignore_ascii_case(id))
}

/// `12.50 USD`
pub(crate) fn price(cents: i64) -> String {
    format!("{}.{:02} USD", cents / 100, cents % 100)
}
