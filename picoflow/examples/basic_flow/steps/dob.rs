use super::{AddressStep, NameStep};
use jiff::civil::Date;
use picoflow::prelude::*;

/// Learns the date of birth.
pub(crate) struct DOBStep;

#[tools]
impl Step for DOBStep {
    fn prompt(&self, cx: &Cx<'_>) -> Prompt {
        let name = cx.step_state(NameStep::ID)["name"].as_str().unwrap_or("the user");
        format!("You talk to {name}. Ask for the date of birth, then call `dob`.").into()
    }

    /// Capture date of birth
    #[tool(define)]
    fn dob(
        &self,
        cx: &mut Cx<'_>,
        /// Four-digit year
        #[schemars(range(min = 1900, max = 2100))]
        year: i16,
        /// Calendar month, 1 through 12
        #[schemars(range(min = 1, max = 12))]
        month: i8,
        /// Calendar day, 1 through 31
        #[schemars(range(min = 1, max = 31))]
        day: i8,
    ) -> ToolResponse {
        // The schema bounds each number; only together they make a date.
        if Date::new(year, month, day).is_err() {
            return stay_with(format!("{year}-{month}-{day} is no date. Ask again."));
        }
        cx.save_state(json!({ "year": year, "month": month, "day": day }));
        go(AddressStep::ID)
    }

    #[tool("terminate_session")]
    fn leave(&self) -> ToolResponse {
        go(TerminateSessionStep::ID).with_prompt("The user wants to leave. Say goodbye.")
    }
}
