use super::NameStep;
use picoflow::prelude::*;

/// Learns the user's favorites from the text of a reply, without a tool.
pub(crate) struct FavoritesStep;

#[derive(Deserialize, Serialize)]
struct Favorites {
    #[serde(rename = "favoriteColor")]
    color: String,
    #[serde(rename = "favoriteMovie")]
    movie: String,
    #[serde(rename = "favoriteSeason")]
    season: String,
}

#[tools]
impl Step for FavoritesStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Ask for the user's favorite color, movie and season. As soon as you know all three, reply with JSON and \
         nothing else: {\"favoriteColor\": .., \"favoriteMovie\": .., \"favoriteSeason\": ..}."
            .into()
    }

    async fn on_response(&self, cx: &mut Cx<'_>, output: ModelOutput) -> HookResult<StepResponse> {
        // Anything else than the JSON is talk, and goes to the user as it is.
        let Ok(favorites) = output.parse::<Favorites>() else {
            return Ok(output.into_text().into());
        };
        cx.save_state(json!({ "favorites": favorites }));
        cx.remove_state("gooData");
        Ok(go(NameStep::ID))
    }
}
