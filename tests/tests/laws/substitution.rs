//! Substitution never changes the number of arguments and never scans a value again (CR-2.1, CR-A1).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use the_loop::critic::Placeholder;
use the_loop::invocation::{Flags, Prompt, PromptSource, WorkItem};

use super::cases;
use super::material::{crafty, critic, prompt, quoted};

/// A part of one argument: a placeholder, or text that stays as it is.
#[derive(Clone, Debug)]
enum Piece {
    Hole(Placeholder),
    Literal(String),
}

fn piece() -> impl Strategy<Value = Piece> {
    let braces = prop::sample::select(vec!["{}", "{\"a\":1}", "{ }", "{1}", "{a b}", "{-}", "{,}", "}", " "]);
    prop_oneof![
        prop::sample::select(&Placeholder::ALL[..]).prop_map(Piece::Hole),
        r"[^{}\x00]*".prop_map(Piece::Literal),
        braces.prop_map(|text| Piece::Literal(text.to_owned())),
    ]
}

/// A folder's or an item's name.
fn name() -> impl Strategy<Value = String> {
    crafty().prop_map(|text| format!("n{}", text.replace(['/', '\0'], "")))
}

/// The elements of `args` and their YAML.
fn arguments() -> impl Strategy<Value = Vec<Vec<Piece>>> {
    prop::collection::vec(prop::collection::vec(piece(), 0..5), 0..6)
}

fn written(argument: &[Piece]) -> String {
    let text: String = argument
        .iter()
        .map(|piece| match piece {
            Piece::Hole(placeholder) => placeholder.to_string(),
            Piece::Literal(text) => text.clone(),
        })
        .collect();
    quoted(&text)
}

/// What one call stands for, each value by its placeholder.
struct Round {
    prompt: Vec<u8>,
    model: String,
    item: String,
    spec: PathBuf,
    cwd: PathBuf,
}

impl Round {
    fn value<'a>(&'a self, placeholder: Placeholder, prompt_file: &'a Path) -> &'a OsStr {
        match placeholder {
            Placeholder::Prompt => OsStr::from_bytes(&self.prompt),
            Placeholder::PromptFile => prompt_file.as_os_str(),
            Placeholder::Model => OsStr::new(&self.model),
            Placeholder::WorkItem => OsStr::new(&self.item),
            Placeholder::SpecDir => self.spec.as_os_str(),
            Placeholder::Cwd => self.cwd.as_os_str(),
        }
    }

    fn flags(&self) -> Flags {
        Flags {
            here: "/".into(),
            root: ".".into(),
            cwd: Some(self.cwd.clone()),
            work_item: WorkItem::parse(OsString::from(&self.item)).expect("one component"),
            spec_dir: Some(self.spec.clone()),
            timeout: None,
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn each_argument_is_its_own_text_with_the_values_in_it_and_none_is_added_or_lost(
        args in arguments(),
        prompt in prompt(),
        (model, item, spec, cwd) in (crafty(), name(), name(), name()),
    ) {
        let model = model.replace('\0', "");
        let round = Round { prompt, model, item, spec: Path::new("/s").join(spec), cwd: Path::new("/c").join(cwd) };
        // Any command needs the prompt somewhere; the law looks at the arguments before it.
        let list: Vec<String> = args.iter().map(|each| written(each)).chain(["'{prompt}'".to_owned()]).collect();
        let critic = critic(&format!(
            "name: n, command: x, model: {}, args: [{}]", quoted(&round.model), list.join(", ")
        ));
        let folder = std::env::temp_dir();
        let source = PromptSource::Text(OsStr::from_bytes(&round.prompt).to_owned());
        let mut prompt = Prompt::read(source, Path::new("/"), &folder).expect("not blank");
        let flags = round.flags();
        let invocation = flags.resolve(&critic, "/x".into(), Path::new("docs/specs"), &mut prompt).expect("resolved");

        prop_assert_eq!(invocation.arguments.len(), args.len() + 1);
        let file = if critic.holds(Placeholder::PromptFile) { prompt.file().expect("there already") } else { Path::new("") };
        for (found, pieces) in invocation.arguments.iter().zip(&args) {
            let mut expected = OsString::new();
            for piece in pieces {
                match piece {
                    Piece::Hole(placeholder) => expected.push(round.value(*placeholder, file)),
                    Piece::Literal(text) => expected.push(text),
                }
            }
            prop_assert_eq!(found, &expected);
        }
    }
}
