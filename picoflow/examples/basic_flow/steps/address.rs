use picoflow::prelude::*;

/// Learns where the user lives, and ends the conversation.
pub(crate) struct AddressStep;

#[tools]
impl Step for AddressStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Ask for the user's address, with street, city, state and zip, then call `address`.".into()
    }

    /// Capture address of user
    #[tool(define)]
    fn address(
        &self,
        cx: &mut Cx<'_>,
        /// Street, city, state and zip in one line
        address: String,
    ) -> ToolResponse {
        let Some(place) = Place::parse(&address) else {
            return stay_with(
                "The address needs a street, a city, a state of two letters and a zip of five digits.",
            );
        };
        cx.save_state(json!({ "address": place }));
        go(TerminateSessionStep::ID)
            .with_prompt(
                "The address is saved and everything is complete. Tell the user and say goodbye.",
            )
            .with_state(json!({ "fromAddress": 5 }))
    }

    #[tool("terminate_session")]
    fn leave(&self) -> ToolResponse {
        go(TerminateSessionStep::ID).with_prompt("The user wants to leave. Say goodbye.")
    }
}

/// What the flow keeps of an address. The street has to be there, but nothing needs it later.
#[derive(Serialize)]
struct Place {
    city: String,
    state: String,
    zip: String,
}

impl Place {
    /// Reads `street[,] city, state zip`.
    fn parse(address: &str) -> Option<Self> {
        let (before, region) = address.trim().rsplit_once(',')?;
        let (state, zip) = region.trim().split_once(' ')?;
        let (street, city) = before.rsplit_once(',').or_else(|| before.trim().rsplit_once(' '))?;
        let zip = zip.trim();
        let is_region = state.len() == 2
            && state.chars().all(|c| c.is_ascii_alphabetic())
            && zip.len() == 5
            && zip.chars().all(|c| c.is_ascii_digit());
        let place = Self {
            city: city.trim().to_owned(),
            state: state.to_ascii_uppercase(),
            zip: zip.to_owned(),
        };
        (is_region && !street.trim().is_empty() && !place.city.is_empty()).then_some(place)
    }
}
