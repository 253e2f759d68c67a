//! The finished binaries of the workspace, built on demand: a package's tests do not build other packages' binaries.
//!
//! Main type: [`Binary`]. Building goes through cargo itself, so a second call costs a check for freshness only.

use std::path::PathBuf;

/// A binary that the workspace makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// The reference implementation, `the-loop`.
    Reference,
    /// The kit, `the-loop-conformance`.
    Kit,
    /// The scripted critic, `fake-critic`.
    FakeCritic,
    /// The second implementation, `strawman`.
    Strawman,
}

/// The binary could not be built.
#[derive(Debug, thiserror::Error)]
#[error("cannot build `{name}`: {cause}; `cargo build --package {package}` shows why")]
pub struct NotBuilt {
    name: &'static str,
    package: &'static str,
    cause: escargot::error::CargoError,
}

impl Binary {
    /// The package that holds it and its own name.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Reference => ("the-loop", "the-loop"),
            Self::Kit => ("the-loop-conformance", "the-loop-conformance"),
            Self::FakeCritic => ("fake-critics", "fake-critic"),
            Self::Strawman => ("tests", "strawman"),
        }
    }

    /// Builds it in `profile` and tells where it lies.
    ///
    /// # Errors
    /// [`NotBuilt`], with cargo's words, when the build fails.
    pub fn build(self, profile: Profile) -> Result<PathBuf, NotBuilt> {
        let (package, name) = self.names();
        let build = escargot::CargoBuild::new()
            .manifest_path(crate::workspace::root().join("Cargo.toml"))
            .package(package)
            .bin(name);
        let build = match profile {
            Profile::Development => build,
            Profile::Release => build.release(),
        };
        let run = build.run().map_err(|cause| NotBuilt { name, package, cause })?;
        Ok(run.path().to_path_buf())
    }
}

/// How a binary is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Quick to build; what tests use.
    Development,
    /// What users install; what benchmarks use.
    Release,
}
