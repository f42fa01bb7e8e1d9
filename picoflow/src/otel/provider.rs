//! Providers by the names that the conventions have for them.

use crate::ModelRef;

/// The provider's well-known name, or the one that the flow gives it.
pub(super) fn name(model: &ModelRef) -> &str {
    match model.provider() {
        "azure" => "azure.ai.openai",
        "bedrock" => "aws.bedrock",
        "gemini" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "kimi" | "moonshot" => "moonshot_ai",
        "openai-responses" => "openai",
        "vertex" => "gcp.vertex_ai",
        "xai" | "xai-responses" => "x_ai",
        other => other,
    }
}
