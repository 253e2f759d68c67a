//! From a command line to a target: the program is looked up once, here.
//!
//! [`target`] reads the caller's PATH, so that the sandbox can have another one.

use std::env;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::CliError;
use super::arguments::TargetArguments;
use crate::target::Target;

/// The target that the caller names.
///
/// # Errors
/// Its file is wrong, or it names none.
pub(super) fn target(arguments: &TargetArguments) -> Result<Target, CliError> {
    let target = match &arguments.target {
        Some(path) => Target::read(path)?,
        None => Target::from_command(arguments.command.clone())?,
    };
    Ok(target.with_env(arguments.env.clone()).resolved(absolute))
}

/// The program with its whole path, where it can be found.
fn absolute(program: &str) -> String {
    let path = env::var_os("PATH").unwrap_or_default();
    if program.contains('/') {
        return std::path::absolute(program)
            .map_or_else(|_| program.to_owned(), |path| path.display().to_string());
    }
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|candidate| is_executable(candidate))
        .map_or_else(|| program.to_owned(), |found| found.display().to_string())
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}
