//! Parses command-line arguments outside a program.

/// Parses arguments; the first word is the program name.
pub fn parse<'a, A: clap::Args>(words: impl IntoIterator<Item = &'a str>) -> Result<A, String> {
    let matches = A::augment_args(clap::Command::new("tool")).try_get_matches_from(words);
    matches.and_then(|matches| A::from_arg_matches(&matches)).map_err(|error| error.to_string())
}
