//! Every matcher where it holds and where it does not.

use serde_json::{Value, json};

use super::{Matcher, Seen};
use crate::source::Source;
use crate::text::Names;

fn matcher(text: &str) -> Result<Matcher, String> {
    Source::new("m.yaml", text).read::<Matcher>().map_err(|fault| fault.message().to_owned())
}

fn holds(text: &str, value: Value) -> bool {
    let names = Names { bin: "/b.n".to_owned(), ..Names::default() };
    matcher(text).unwrap().holds(&Seen::json(Some(value)), &names)
}

#[test]
fn each_matcher_tells_right_from_wrong() {
    for (text, right, wrong) in [
        ("1", json!(1.0), json!("1")),
        ("ok", json!("ok"), json!("OK")),
        ("null", json!(null), json!("")),
        ("[1, a]", json!([1, "a"]), json!([1])),
        ("{equals: null}", json!(null), json!(false)),
        ("{equals: {a: 1}}", json!({"a": 1}), json!({"a": 1, "b": 2})),
        ("{type: integer}", json!(2), json!(2.5)),
        ("{type: number}", json!(2.5), json!("2.5")),
        ("{matches: '^a.c$'}", json!("abc"), json!("xabc")),
        ("{matches: '^%{bin}$'}", json!("/b.n"), json!("/bxn")),
        ("{contains: b}", json!("abc"), json!("ac")),
        ("{contains: [a, c]}", json!("abc"), json!("ab")),
        ("{contains: 2}", json!([1, 2]), json!([1])),
        ("{contains: key}", json!({"key": 0}), json!({})),
        ("{line: {matches: ^b}}", json!("a\nb"), json!("a b")),
        ("{falsy: true}", json!(""), json!("x")),
        ("{falsy: true}", json!(false), json!(0)),
        ("{one_of: [1, {type: string}]}", json!("x"), json!(2)),
        ("{not: {contains: x}}", json!("a"), json!("x")),
        ("{min: 1, max: 2}", json!(2), json!(2.1)),
        ("{size: 2}", json!("é"), json!("e")),
        ("{size: {max: 1}}", json!([1]), json!([1, 2])),
        ("{base64: YQ==}", json!("a"), json!("b")),
    ] {
        assert!(holds(text, right.clone()), "{text} of {right}");
        assert!(!holds(text, wrong.clone()), "{text} of {wrong}");
    }
}

#[test]
fn absence_is_no_value() {
    let absent = |text: &str| matcher(text).unwrap().holds_of_absence();
    for text in ["{absent: true}", "{falsy: true}", "{not: 1}"] {
        assert!(absent(text), "{text}");
    }
    for text in ["null", "''", "{absent: false}", "{min: 0}", "{matches: ''}"] {
        assert!(!absent(text), "{text}");
    }
}

#[test]
fn bytes_that_are_no_text_are_compared_as_they_are() {
    let seen = Seen::bytes(&[0xff, 0x61]);
    assert!(matcher("{base64: /2E=, size: 2, contains: a}").unwrap().holds(&seen, &Names::default()));
}

#[test]
fn what_can_never_be_judged_is_refused() {
    for (text, why) in [
        ("{}", "an empty matcher"),
        ("{falsy: false}", "`falsy: false`"),
        ("{one_of: []}", "`one_of: []`"),
        ("{matches: '('}", "is no pattern"),
        ("{base64: '?'}", "is no base64"),
        ("{contains: '%{bim}'}", "unknown name `%{bim}`"),
        ("{equal: 1}", "unknown field `equal`"),
    ] {
        let error = matcher(text).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
}
