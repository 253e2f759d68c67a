//! Reports of made-up outcomes.
