//! Types whose values have names, as in options and arguments.

/// A choice between named values.
pub trait Named: Copy + PartialEq + 'static {
    /// All values with their names.
    const ALL: &'static [(&'static str, Self)];

    /// All names.
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|&(name, _)| name).collect()
    }

    /// The name of this value.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, value)| *value == self).map_or("", |(name, _)| name)
    }

    /// Parses a name, ignoring case.
    fn from_name(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|&(_, value)| value).ok_or_else(|| format!("expected one of {}", Self::names().join(", ")))
    }
}

/// An enum of named values, each declared with its name.
macro_rules! named_enum {
    ($(#[$attribute:meta])* pub enum $type:ident { $($(#[$of_variant:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $type { $($(#[$of_variant])* $variant,)+ }

        impl $crate::named::Named for $type {
            const ALL: &'static [(&'static str, Self)] = &[$(($name, Self::$variant),)+];
        }
    };
}

pub(crate) use named_enum;
