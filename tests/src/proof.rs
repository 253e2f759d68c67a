//! `docs/proof.md`: for each requirement its checks, and for each check the faults that turn it red. Main function: [`proof`].
//!
//! Written from the list of faults and the ledger; measures nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Deserialize;

use crate::bench::Check;
use crate::fault_list::{Entry, FaultList};
use crate::kill_matrix::KillMatrix;
use crate::workspace::root;

/// How many faults a check names; of the rest only the number is told.
const NAMED: usize = 6;

/// A row of the ledger, as far as the proof tells it.
#[derive(Clone, Debug, Deserialize)]
pub struct Requirement {
    id: String,
    ears: String,
    level: String,
    source: Vec<String>,
    excluded: Option<String>,
}

/// Where the proof is kept.
pub fn path() -> PathBuf {
    root().join("docs/proof.md")
}

/// Every row of the ledger, in its order.
///
/// # Errors
/// A file that cannot be read, or that is no list of requirements.
pub fn ledger() -> Result<Vec<Requirement>, Box<dyn std::error::Error>> {
    let mut rows = Vec::new();
    for name in ["critic.yaml", "graph.yaml"] {
        let text = std::fs::read_to_string(root().join("specs").join(name))?;
        rows.extend(serde_saphyr::from_str::<Vec<Requirement>>(&text)?);
    }
    Ok(rows)
}

/// The page.
pub fn proof(ledger: &[Requirement], list: &FaultList, checks: &[Check]) -> String {
    let matrix = KillMatrix::new(list, checks);
    let kills = matrix.kills();
    let mut of: BTreeMap<&str, Vec<&Check>> = BTreeMap::new();
    for check in checks {
        of.entry(&check.requirement).or_default().push(check);
    }
    let mut page = head(&matrix, list, checks, &kills);
    let mut area = "";
    for requirement in ledger {
        let begins = requirement.id.rsplit_once('.').map_or("", |(area, _)| area);
        if begins != area {
            area = begins;
            let _ = write!(page, "\n## {area}\n");
        }
        let Requirement { id, ears, level, source, excluded } = requirement;
        let _ = write!(page, "\n**{id}** ({level}; {})\\\n{ears}\n\n", source.join(", "));
        if let Some(reason) = excluded {
            let _ = writeln!(page, "Not judged: {reason}");
            continue;
        }
        for check in of.get(id.as_str()).into_iter().flatten() {
            let _ = writeln!(page, "* `{}`: {}", check.id, told(id, kills.get(check.id.as_str())));
        }
    }
    page
}

fn head(
    matrix: &KillMatrix,
    list: &FaultList,
    checks: &[Check],
    kills: &BTreeMap<&str, Vec<&Entry>>,
) -> String {
    let of = |level: &str| list.0.iter().filter(|entry| entry.level == level).count();
    let crashes = list.0.iter().filter(|entry| matrix.is_crash(entry)).count();
    let unseen = list.0.iter().filter(|entry| entry.unseen.is_some()).count();
    let mut text = format!(
        "# Proof that the checks bite\n\n\
         Written by `cargo kill-matrix` from [the list of faults](../tests/faults.yaml); the test `kill_matrix` fails when it is not \
         up to date.\n\n\
         The [strawman](../tests/src/bin/strawman/main.rs), a second implementation, keeps every check. Each fault is one mistake that \
         `STRAWMAN_FAULT=NAME` switches on in it, and the checks that it turns red are pinned, all of them. A check of which no fault \
         stands here has not been seen to fail. `strawman faults` says what each fault does.\n\n\
         Faults: {} that break a rule of level must, {} of level should, {} that choose otherwise than the reference where the contract \
         leaves the choice (open), {} harmless. {crashes} break so much that they count as a crash and stand nowhere below. {unseen} are \
         noticed by no check; the list says why, and what holds them instead.\n\n\
         | level | checks | turned red by a fault |\n|---|---|---|\n",
        of("must"),
        of("should"),
        of("open"),
        of("harmless"),
    );
    for level in ["must", "should", "open"] {
        let all = checks.iter().filter(|check| check.level == level);
        let killed = all.clone().filter(|check| kills.contains_key(check.id.as_str())).count();
        let _ = writeln!(text, "| {level} | {} | {killed} |", all.count());
    }
    text.push_str(
        "\nA fault in brackets breaks another requirement and turns this check red as well; the list of faults has the reason.\n",
    );
    text
}

/// The faults of a check: those about its requirement first.
fn told(requirement: &str, faults: Option<&Vec<&Entry>>) -> String {
    let Some(faults) = faults else { return "no fault".to_owned() };
    let (own, others): (Vec<&Entry>, Vec<&Entry>) =
        faults.iter().copied().partition(|entry| entry.breaks.contains(requirement));
    let own = own.iter().map(|entry| entry.name.clone());
    let others = others.iter().map(|entry| format!("({})", entry.name));
    let mut named: Vec<String> = own.chain(others).take(NAMED).collect();
    if faults.len() > NAMED {
        named.push(format!("and {} more", faults.len() - NAMED));
    }
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_told_with_its_faults_and_one_without_says_so() {
        let row = |id: &str, excluded: Option<&str>| Requirement {
            id: id.into(),
            ears: "The runtime SHALL.".into(),
            level: "must".into(),
            source: vec!["CR-1.1".into()],
            excluded: excluded.map(str::to_owned),
        };
        let check = |id: &str| Check { id: id.into(), requirement: "a.b.c".into(), level: "must".into() };
        let entry = |name: &str, breaks: &str| Entry {
            name: name.into(),
            breaks: [breaks.to_owned()].into(),
            fails: ["x/y/killed".to_owned()].into(),
            ..Entry::default()
        };
        let list = FaultList(vec![entry("else", "a.b.other"), entry("own", "a.b.c")]);
        let many: Vec<Check> = (0..20).map(|number| check(&format!("x/y/{number}"))).collect();
        let checks: Vec<Check> = many.into_iter().chain([check("x/y/killed")]).collect();
        let page = proof(&[row("a.b.c", None), row("a.b.d", Some("held by a test"))], &list, &checks);
        assert!(page.contains("* `x/y/killed`: own, (else)\n"), "{page}");
        assert!(page.contains("* `x/y/0`: no fault\n"), "{page}");
        assert!(page.contains("| must | 21 | 1 |"), "{page}");
        assert!(page.contains("Not judged: held by a test\n"), "{page}");
    }
}
