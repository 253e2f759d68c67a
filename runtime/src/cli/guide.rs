//! `critic guide`: the reviewing procedure, as it is documented.

/// The whole page (CR-5).
pub(super) const TEXT: &str = include_str!("../../../docs/reviewing.md");
