//! What looks like the configuration of critics, in a checkout or in an old place, and is not used.
//!
//! [`notices`] only tells; nothing found in a checkout is ever executed.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::{LARGEST, Node, OperatorConfig, visible, yaml};

const MOVE: &str = "critics are declared in the operator's own config only: after reading them as you would read \
                    code, move them to `critics:` in ~/.the-loop/cli-config.yaml, or name the file with `--config`";

/// What to say about the checkout at `root`: a config that was found but not used, critics in its harness config,
/// and the config in use when it lies inside; also critics in the place where the config in use once had them.
pub fn notices(config: &OperatorConfig, root: &Path) -> Vec<String> {
    let used = config.path().and_then(|path| path.canonicalize().ok());
    let mut notices = Vec::new();
    if let (Some(used), Ok(root)) = (&used, root.canonicalize())
        && used.starts_with(&root)
    {
        notices.push(format!(
            "the config in use, `{}`, lies inside the checkout: whoever can change the checkout chooses what is \
             executed; keep it outside",
            visible(&used.to_string_lossy())
        ));
    }
    if let Some(path) = config.path()
        && config.reviews().is_some_and(holds_critics)
    {
        let shown = path.to_string_lossy();
        notices.push(format!(
            "`reviews.critics` of `{}` is not read: move it to the top level",
            visible(&shown)
        ));
    }
    let folder = root.join(".the-loop");
    let config_file = folder.join("cli-config.yaml");
    if config_file.is_file() && config_file.canonicalize().ok() != used {
        notices.push(format!("`{}` is not used: {MOVE}", visible(&config_file.to_string_lossy())));
    }
    let harness_file = folder.join("harness-config.yaml");
    if declares_critics(&harness_file) {
        let shown = harness_file.to_string_lossy();
        notices.push(format!("`reviews.critics` of `{}` is not used: {MOVE}", visible(&shown)));
    }
    notices
}

fn declares_critics(path: &PathBuf) -> bool {
    let Some(text) = read_regular(path) else { return false };
    let Ok(Some(root)) = yaml::parse(&text) else { return false };
    value(&root, "reviews").is_some_and(holds_critics)
}

fn holds_critics(reviews: &Node) -> bool {
    let critics = value(reviews, "critics");
    critics.is_some_and(|critics| critics.sequence().map_or(!critics.is_null(), |items| !items.is_empty()))
}

fn value<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    let (_, value) = node.mapping().ok()?.iter().find(|(written, _)| written.is_key(key))?;
    Some(value)
}

fn read_regular(path: &PathBuf) -> Option<String> {
    if !path.is_file() {
        return None;
    }
    // Not blocking: between the question and the opening it may have become a pipe.
    let flags = rustix::fs::OFlags::NONBLOCK.bits();
    let file = OpenOptions::new().read(true).custom_flags(i32::try_from(flags).ok()?).open(path).ok()?;
    let mut text = String::new();
    file.take(LARGEST as u64).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_config_in_the_checkout_is_mentioned_and_not_read() {
        let checkout = tempfile::tempdir().unwrap();
        let outside = OperatorConfig::default();
        assert_eq!(notices(&outside, checkout.path()), [""; 0]);
        let folder = checkout.path().join(".the-loop");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("cli-config.yaml"), "critics: [{name: evil}]").unwrap();
        fs::write(folder.join("harness-config.yaml"), "reviews: {critics: [{name: evil}]}").unwrap();
        assert_eq!(notices(&outside, checkout.path()).len(), 2);
        fs::write(folder.join("harness-config.yaml"), "reviews: {critics: []}").unwrap();
        assert_eq!(notices(&outside, checkout.path()).len(), 1);
        for (critics, is_told) in [("~", false), ("a", true), ("{a: b}", true)] {
            fs::write(folder.join("harness-config.yaml"), format!("reviews: {{critics: {critics}}}"))
                .unwrap();
            assert_eq!(notices(&outside, checkout.path()).len(), 1 + usize::from(is_told), "{critics}");
        }
        fs::write(folder.join("harness-config.yaml"), "reviews: {critics: []}").unwrap();
        let old = OperatorConfig::parse(Path::new("/c.yaml"), "reviews: {critics: [{name: a}]}").unwrap();
        assert_eq!(notices(&old, checkout.path()).len(), 2);
        let inside = OperatorConfig::parse(&folder.join("cli-config.yaml"), "").unwrap();
        let told = notices(&inside, checkout.path());
        assert!(told.len() == 1 && told[0].contains("lies inside the checkout"), "{told:?}");
    }
}
