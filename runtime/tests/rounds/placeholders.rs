//! What the placeholders of one round stand for.

use crate::bench::{Bench, text};

const SHOW: &str = "for each; do printf '[%s]' \"$each\"; done";

fn showing(args: &str) -> Bench {
    let bench =
        Bench::new(&[&format!("{{name: c, model: m, command: /bin/sh, args: ['%/script', {args}]}}")]);
    bench.write("script", SHOW);
    bench
}

#[test]
fn each_value_stays_within_its_argument() {
    let bench = showing("'a {prompt} b', '{model}{workItem}', '', 'x={prompt}'");
    bench
        .run(["--prompt", "two words", "--work-item", "item"])
        .assert_ok("[a two words b][mitem][][x=two words]");
}

#[test]
fn the_spec_directory_follows_flag_config_and_item() {
    let bench = showing("'{specDir}', '{prompt}'");
    let root = bench.path("checkout").display().to_string();
    let expect = |arguments: &[&str], folder: &str| {
        let arguments = arguments.iter().copied().chain(["--prompt", "x"]);
        bench.run(arguments).assert_ok(&format!("[{folder}][x]"));
    };
    expect(&[], &format!("{root}/docs/specs"));
    expect(&["--work-item", "item"], &format!("{root}/docs/specs/item"));
    expect(&["--work-item", "item", "--root", "sub", "--cwd", "."], &format!("{root}/sub/docs/specs/item"));
    expect(&["--work-item", "item", "--spec-dir", "mine"], &format!("{root}/mine"));
    let config = bench.read(".the-loop/cli-config.yaml");
    bench.write(".the-loop/cli-config.yaml", config + "routing: {graph: {specDir: wiki}}\n");
    expect(&["--work-item", "item"], &format!("{root}/wiki/item"));
}

#[test]
fn links_in_paths_are_kept() {
    let bench = showing("'{cwd}', '{prompt}'");
    std::os::unix::fs::symlink(bench.path("checkout"), bench.path("link")).unwrap();
    let link = bench.path("link");
    bench.run(["--prompt", "x", "--root", text(&link)]).assert_ok(&format!("[{}][x]", link.display()));
}
