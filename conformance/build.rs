//! Tells cargo that the suite and the ledger are inside the binary, so that a changed scenario rebuilds the kit.

#[allow(clippy::print_stdout)] // cargo listens there
fn main() {
    for path in ["build.rs", "graphs", "scenarios", "../specs"] {
        println!("cargo::rerun-if-changed={path}");
    }
}
