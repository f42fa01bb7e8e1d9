//! The steps, one file each.

mod address;
mod concur1;
mod concur2;
mod concur3;
mod concur4;
mod dob;
mod favorites;
mod foo_logic;
mod goo_logic;
mod in_context;
mod name;
mod president;
mod weather;

pub(crate) use address::AddressStep;
pub(crate) use concur1::ConcurStep1;
pub(crate) use concur2::ConcurStep2;
pub(crate) use concur3::ConcurStep3;
pub(crate) use concur4::ConcurStep4;
pub(crate) use dob::DOBStep;
pub(crate) use favorites::FavoritesStep;
pub(crate) use foo_logic::FooLogicStep;
pub(crate) use goo_logic::GooLogicStep;
pub(crate) use in_context::InContextStep;
pub(crate) use name::NameStep;
pub(crate) use president::PresidentStep;
pub(crate) use weather::WeatherStep;
