//! What a choice refuses, and what derives say that schemas do not.

use super::Desk;
use picoflow::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "what is read is enough to tell")]
enum Delivery {
    Pickup { at: u8 },
    Delivery { to: String },
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
enum Size {
    Small,
    Large,
    #[serde(other)]
    Other,
}

#[derive(Default)]
struct Shop;

#[tools]
impl Step for Shop {
    /// Sends
    #[tool(define)]
    fn send(&self, d: Delivery, others: Option<Vec<Delivery>>) -> Json<bool> {
        Json(matches!(d, Delivery::Pickup { .. }) && others.is_none())
    }

    /// Takes a size
    #[tool(define)]
    fn size(&self, size: Size) -> Json<Size> {
        Json(size)
    }

    /// Takes a name with an alias
    #[tool(define)]
    fn alias(&self, #[serde(alias = "title")] name: String) -> Json<String> {
        Json(name)
    }

    /// Takes an optional name with an alias
    #[tool(define)]
    fn optional_alias(
        &self,
        #[serde(alias = "title")] name: Option<String>,
    ) -> Json<Option<String>> {
        Json(name)
    }

    /// Takes an address
    #[tool(define)]
    fn email(&self, #[schemars(email)] address: String) -> Json<String> {
        Json(address)
    }
}

#[tokio::test]
async fn a_choice_says_where_and_what_it_wants() {
    let mut desk = Desk::new::<Shop>().await;
    for (text, part) in [
        (
            r#"{"d":{"kind":"piccup"}}"#,
            "at `/d/kind`: unknown variant `piccup`, expected one of `pickup`, `delivery`",
        ),
        (
            r#"{"d":{"kind":"pickup","at":1},"others":[{"kind":"x"}]}"#,
            "at `/others/0/kind`: unknown variant `x`, expected one of `pickup`, `delivery`",
        ),
        (r#"{"d":{"kind":"pickup","at":"one"}}"#, "at `/d/at`: \"one\" is not of type \"integer\""),
        (r#"{"d":{}}"#, "at `/d`: missing field `kind`, expected one of `pickup`, `delivery`"),
    ] {
        let told = desk.call("send", text).await;
        assert!(told.contains(part), "{text}: {told}");
    }
}

#[tokio::test]
async fn formats_are_checked() {
    let mut desk = Desk::new::<Shop>().await;
    let told = desk.call("email", r#"{"address":"nobody"}"#).await;
    assert!(told.contains("at `/address`") && told.contains("email"), "{told}");
    assert_eq!(desk.call("email", r#"{"address":"a@b.example"}"#).await, "\"a@b.example\"");
}

// What the page on schemas says of both.
#[tokio::test]
async fn aliases_and_other_variants_are_not_in_the_schema() {
    let mut desk = Desk::new::<Shop>().await;
    let told = desk.call("alias", r#"{"title":"a"}"#).await;
    assert!(told.contains("\"name\" is a required property"), "{told}");
    assert_eq!(desk.call("optional_alias", r#"{"title":"a"}"#).await, "\"a\"");
    assert!(desk.warnings().iter().any(|warning| warning.contains("`/title`")));
    let told = desk.call("size", r#"{"size":"Huge"}"#).await;
    assert!(told.contains("at `/size`") && told.contains("Large"), "{told}");
}
