//! Models by one word.

use picoflow::genai::{GenaiModel, ProviderError};

/// Provider and name, without a key where none is needed.
fn of(name: &str) -> Result<(String, String), ProviderError> {
    let (_, model) = GenaiModel::named(name)?;
    Ok((model.provider().to_owned(), model.name().to_owned()))
}

#[test]
fn a_name_says_its_provider_or_its_server() {
    for (written, provider, name) in [
        ("ollama/qwen3:4b", "ollama", "qwen3:4b"),
        ("ollama/hf.co/qwen/qwen3", "ollama", "hf.co/qwen/qwen3"),
        ("qwen3:4b", "ollama", "qwen3:4b"),
        ("http://127.0.0.1:8080/v1", "server", "default"),
        ("https://models.example/v1#qwen3/4b", "server", "qwen3/4b"),
    ] {
        assert_eq!(of(written).unwrap(), (provider.to_owned(), name.to_owned()), "{written}");
    }
}

#[test]
fn a_model_without_a_key_or_of_nobody_is_refused_before_it_is_asked() {
    for (written, provider) in [
        ("gpt-4o-mini", "openai"),
        ("claude-sonnet-4-6", "anthropic"),
        ("gemini-2.5-flash", "gemini"),
        ("grok-4", "xai"),
        ("deepseek-chat", "deepseek"),
        ("openrouter/meta/llama-4", "openrouter"),
    ] {
        // Where these tests run, there may be a key.
        match of(written) {
            Err(ProviderError::MissingKey { provider: named, .. }) | Ok((named, _)) => {
                assert_eq!(named, provider);
            }
            Err(error) => panic!("{written}: {error}"),
        }
    }
    let error = of("meta/llama-4").unwrap_err();
    assert!(
        matches!(&error, ProviderError::UnknownProvider { provider, .. } if provider == "meta")
    );
}
