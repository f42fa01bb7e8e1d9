use super::FooLogicStep;
use picoflow::prelude::*;

/// Knows the weather of two cities, and goes on when the user has seen both.
pub(crate) struct WeatherStep;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct City {
    /// Short name of the city, such as LA
    city_name: String,
}

#[tools]
impl Step for WeatherStep {
    const CITIES: [(&'static str, i64); 2] = [("LA", 72), ("NYC", 83)];

    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Offer the weather of LA and NYC. Call `get_weather` once for each city that the user names. \
         You support no other city."
            .into()
    }

    /// Look up the weather of a city
    #[tool(define)]
    fn get_weather(&self, cx: &mut Cx<'_>, Args(city): Args<City>) -> ToolResponse {
        Self::look_up(cx, &[city])
    }

    // A reply that asks for cities alone comes here, with all of its calls at once.
    #[tools(["get_weather"])]
    fn get_weather_of_all(
        &self,
        cx: &mut Cx<'_>,
        calls: &[ToolCall],
    ) -> Result<ToolResponse, ToolError> {
        let cities: Result<Vec<City>, _> = calls.iter().map(ToolCall::args).collect();
        Ok(Self::look_up(cx, &cities?))
    }

    #[tool("terminate_session")]
    fn leave(&self) -> ToolResponse {
        go(TerminateSessionStep::ID).with_prompt("The user wants to leave. Say goodbye.")
    }

    // Not a tool, since it takes something else: a helper.
    fn look_up(cx: &mut Cx<'_>, cities: &[City]) -> ToolResponse {
        for city in cities {
            let known = Self::CITIES
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(city.city_name.trim()));
            let Some((name, degrees)) = known else {
                return stay_with(format!(
                    "{} is not supported. Only LA and NYC are.",
                    city.city_name
                ));
            };
            let mut seen = serde_json::Map::new();
            seen.insert(format!("city_{name}"), json!(degrees));
            cx.save_state(seen);
        }
        let seen = |name| cx.state()[format!("city_{name}")].is_number();
        if Self::CITIES.iter().all(|(name, _)| seen(name)) {
            go(FooLogicStep::ID)
        } else {
            stay_with(format!(
                "Tell the user the degrees, then offer the other city: {}",
                cx.state()
            ))
        }
    }
}
