//! Paths: what can be said about numbers and arrows between them, without knowing what they stand for.
//!
//! Every question to [`Paths`] takes a time that grows with the number of arrows, and a stack that does not grow.

use std::collections::VecDeque;

/// Arrows between the numbers from 0 up to a count.
#[derive(Debug)]
pub(super) struct Paths {
    after: Vec<Vec<usize>>,
}

impl Paths {
    /// The arrows given, between numbers below `count`.
    pub(super) fn new(count: usize, arrows: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut after = vec![Vec::new(); count];
        for (from, to) in arrows {
            after[from].push(to);
        }
        Self { after }
    }

    /// What can be reached from `starts` without going through what is `closed`.
    pub(super) fn reached(&self, starts: &[usize], closed: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.after.len()];
        let mut open: Vec<usize> = Vec::new();
        for start in starts {
            reached[*start] = true;
            open.push(*start);
        }
        while let Some(number) = open.pop() {
            if closed(number) {
                continue;
            }
            for next in &self.after[number] {
                if !std::mem::replace(&mut reached[*next], true) {
                    open.push(*next);
                }
            }
        }
        reached
    }

    /// What was not reached, in groups: a number that no other such arrow leads to (or that stands in a circle), and
    /// what can only be reached from there.
    pub(super) fn islands(&self, reached: &[bool]) -> Vec<Vec<usize>> {
        let missing: Vec<usize> = (0..self.after.len()).filter(|number| !reached[*number]).collect();
        let mut led_to = vec![false; self.after.len()];
        for number in &missing {
            for next in self.after[*number].iter().filter(|next| *next != number) {
                led_to[*next] = true;
            }
        }
        let (inner, first): (Vec<usize>, Vec<usize>) = missing.iter().partition(|number| led_to[**number]);
        let mut grouped = reached.to_vec();
        let mut islands = Vec::new();
        for number in first.into_iter().chain(inner) {
            if std::mem::replace(&mut grouped[number], true) {
                continue;
            }
            let mut island = vec![number];
            let mut at = 0;
            while let Some(number) = island.get(at).copied() {
                at += 1;
                for next in &self.after[number] {
                    if !std::mem::replace(&mut grouped[*next], true) {
                        island.push(*next);
                    }
                }
            }
            islands.push(island);
        }
        islands
    }

    /// A shortest way from `start` to one of `ends` that avoids what is `closed`.
    pub(super) fn route(
        &self,
        start: usize,
        ends: &[usize],
        closed: impl Fn(usize) -> bool,
    ) -> Option<Vec<usize>> {
        let mut is_end = vec![false; self.after.len()];
        for end in ends {
            is_end[*end] = true;
        }
        let mut before: Vec<Option<usize>> = vec![None; self.after.len()];
        let mut open = VecDeque::from_iter((!closed(start)).then_some(start));
        while let Some(number) = open.pop_front() {
            if is_end[number] {
                let mut route = vec![number];
                let mut at = number;
                while at != start {
                    at = before[at]?;
                    route.push(at);
                }
                route.reverse();
                return Some(route);
            }
            for next in &self.after[number] {
                if *next != start && before[*next].is_none() && !closed(*next) {
                    before[*next] = Some(number);
                    open.push_back(*next);
                }
            }
        }
        None
    }

    /// What stands on every way from `start` to any of `ends`; `None` when there is no way.
    ///
    /// Follows one way and looks from each of its numbers, in order, how far the ways that leave it come back to it.
    /// A number that nobody before it could jump over stands on every way. Beside the way, nothing does.
    pub(super) fn always_passed(&self, start: usize, ends: &[usize]) -> Option<Vec<bool>> {
        let route = self.route(start, ends, |_| false)?;
        // One place further is where all ends meet.
        let goal = route.len();
        let mut place: Vec<Option<usize>> = vec![None; self.after.len()];
        for end in ends {
            place[*end] = Some(goal);
        }
        for (at, number) in route.iter().enumerate() {
            place[*number] = Some(at);
        }
        let mut always = vec![false; self.after.len()];
        let mut seen = vec![false; self.after.len()];
        let mut furthest = 0;
        for (at, number) in route.iter().enumerate() {
            always[*number] = furthest <= at;
            let mut open = vec![*number];
            while let Some(number) = open.pop() {
                for next in &self.after[number] {
                    match place[*next] {
                        Some(place) => furthest = furthest.max(place),
                        None if !std::mem::replace(&mut seen[*next], true) => open.push(*next),
                        None => {}
                    }
                }
            }
        }
        Some(always)
    }

    /// One circle for each group of numbers that lead to each other, from its smallest number.
    pub(super) fn cycles(&self) -> Vec<Vec<usize>> {
        let group = self.groups();
        let mut told = vec![false; self.after.len()];
        let mut visited = vec![false; self.after.len()];
        let mut cycles = Vec::new();
        for number in 0..self.after.len() {
            if std::mem::replace(&mut told[group[number]], true) {
                continue;
            }
            let mut before: Vec<(usize, usize)> = vec![(number, 0)];
            visited[number] = true;
            let mut at = 0;
            let mut last = None;
            // A shortest way back; nothing outside the group can be on one.
            while let (Some((from, _)), None) = (before.get(at).copied(), last) {
                for next in self.after[from].iter().filter(|next| group[**next] == group[number]) {
                    if *next == number {
                        last = Some(at);
                        break;
                    }
                    if !std::mem::replace(&mut visited[*next], true) {
                        before.push((*next, at));
                    }
                }
                at += 1;
            }
            let Some(mut last) = last else { continue };
            let mut cycle = Vec::new();
            while last != 0 {
                cycle.push(before[last].0);
                last = before[last].1;
            }
            cycle.push(number);
            cycle.reverse();
            cycles.push(cycle);
        }
        cycles
    }

    /// For each number the group of those that lead to each other (Kosaraju's two passes).
    fn groups(&self) -> Vec<usize> {
        let mut back = vec![Vec::new(); self.after.len()];
        for (from, next) in self.after.iter().enumerate() {
            for to in next {
                back[*to].push(from);
            }
        }
        let mut group = vec![usize::MAX; self.after.len()];
        for root in self.finished().into_iter().rev() {
            let mut open = vec![root];
            while let Some(number) = open.pop() {
                if group[number] == usize::MAX {
                    group[number] = root;
                    open.extend(back[number].iter().filter(|from| group[**from] == usize::MAX));
                }
            }
        }
        group
    }

    /// The numbers in the order in which a depth-first search leaves them.
    fn finished(&self) -> Vec<usize> {
        let mut entered = vec![false; self.after.len()];
        let mut finished = Vec::with_capacity(self.after.len());
        for root in 0..self.after.len() {
            if std::mem::replace(&mut entered[root], true) {
                continue;
            }
            let mut open = vec![(root, 0)];
            while let Some((number, tried)) = open.last_mut() {
                match self.after[*number].get(*tried).copied() {
                    None => {
                        finished.push(*number);
                        open.pop();
                    }
                    Some(next) => {
                        *tried += 1;
                        if !std::mem::replace(&mut entered[next], true) {
                            open.push((next, 0));
                        }
                    }
                }
            }
        }
        finished
    }
}

#[cfg(test)]
mod tests;
