//! Links one symbol that decides how critics are started in a static build.
//!
//! The standard library starts a process through `posix_spawn` only where it finds the version of the C library;
//! in a static binary that weak symbol is empty unless somebody asks for it. Without it the library forks and calls
//! `execvp`, which hands a file without a shebang to `/bin/sh` (CR-2.4). Nothing else is configured here.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, wanted: &str| {
        std::env::var(name).is_ok_and(|value| value.split(',').any(|each| each == wanted))
    };
    if is("CARGO_CFG_TARGET_ENV", "gnu")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_FEATURE", "crt-static")
    {
        println!("cargo::rustc-link-arg=-Wl,--undefined=gnu_get_libc_version");
    }
}
