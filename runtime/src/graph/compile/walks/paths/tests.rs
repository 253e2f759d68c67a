//! The answers of [`Paths`] against those of a search that tries everything, on thousands of small drawings.

use super::*;

/// Drawings of up to six numbers, the same ones every time.
fn drawings() -> impl Iterator<Item = (usize, Vec<(usize, usize)>)> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = move |below: usize| {
        // xorshift: spread well enough for drawings.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed >> 33).unwrap_or_default() % below
    };
    (0..4000).map(move |_| {
        let count = 1 + draw(6);
        let arrows = (0..draw(13)).map(|_| (draw(count), draw(count))).collect();
        (count, arrows)
    })
}

/// Every way from `start` without a number twice.
fn ways(arrows: &[(usize, usize)], start: usize) -> Vec<Vec<usize>> {
    let mut done = vec![vec![start]];
    let mut at = 0;
    while let Some(way) = done.get(at).cloned() {
        at += 1;
        let last = way[way.len() - 1];
        for (_, to) in arrows.iter().filter(|(from, to)| *from == last && !way.contains(to)) {
            let longer = way.iter().copied().chain([*to]).collect();
            if !done.contains(&longer) {
                done.push(longer);
            }
        }
    }
    done
}

#[test]
fn what_is_always_passed_stands_on_every_way() {
    let mut with_detours = 0;
    for (count, arrows) in drawings() {
        let ends: Vec<usize> = (0..count).filter(|number| number % 3 == 2).collect();
        // Nothing leaves an end.
        let arrows: Vec<_> = arrows.into_iter().filter(|(from, _)| !ends.contains(from)).collect();
        let paths = Paths::new(count, arrows.iter().copied());
        let ways: Vec<_> =
            ways(&arrows, 0).into_iter().filter(|way| ends.contains(&way[way.len() - 1])).collect();
        let Some(always) = paths.always_passed(0, &ends) else {
            assert!(ways.is_empty(), "{arrows:?}");
            continue;
        };
        with_detours += usize::from(ways.len() > 1);
        for (number, always) in always.into_iter().enumerate() {
            let expected = ways.iter().all(|way| way.contains(&number));
            assert_eq!(always, expected, "{number} of {arrows:?} to {ends:?}");
            let around = paths.route(0, &ends, |other| other == number);
            assert_eq!(around.is_some(), !expected, "{number} of {arrows:?}");
            assert!(around.is_none_or(|route| ways.contains(&route)), "{arrows:?}");
        }
    }
    assert!(with_detours > 300, "{with_detours}");
}

#[test]
fn circles_are_found_exactly_where_they_are() {
    let mut several = 0;
    for (count, arrows) in drawings() {
        let paths = Paths::new(count, arrows.iter().copied());
        let cycles = paths.cycles();
        several += usize::from(cycles.len() > 1);
        for cycle in &cycles {
            for at in 0..cycle.len() {
                let arrow = (cycle[at], cycle[(at + 1) % cycle.len()]);
                assert!(arrows.contains(&arrow), "{cycle:?} in {arrows:?}");
            }
        }
        let leads = |from: usize, to: usize| ways(&arrows, from).iter().any(|way| way[way.len() - 1] == to);
        for number in 0..count {
            let circles = arrows.iter().any(|(from, to)| *from == number && leads(*to, number));
            // A circle is told for the group that the number stands in.
            let told = cycles.iter().any(|cycle| leads(number, cycle[0]) && leads(cycle[0], number));
            assert_eq!(circles, told, "{number} of {arrows:?}: {cycles:?}");
        }
    }
    assert!(several > 30, "{several}");
}

#[test]
fn islands_are_all_that_was_not_reached_each_once() {
    for (count, arrows) in drawings() {
        let paths = Paths::new(count, arrows.iter().copied());
        let reached = paths.reached(&[0], |_| false);
        let mut told: Vec<usize> = paths.islands(&reached).concat();
        told.sort_unstable();
        let expected: Vec<usize> = (0..count).filter(|number| !reached[*number]).collect();
        assert_eq!(told, expected, "{arrows:?}");
        let ways = ways(&arrows, 0);
        for (number, reached) in reached.into_iter().enumerate() {
            assert_eq!(
                reached,
                ways.iter().any(|way| way[way.len() - 1] == number),
                "{number} of {arrows:?}"
            );
        }
    }
}

#[test]
fn what_is_closed_is_reached_and_not_gone_through() {
    let paths = Paths::new(4, [(0, 1), (1, 2), (0, 3)].into_iter());
    assert_eq!(paths.reached(&[0], |number| number == 1), [true, true, false, true]);
}
