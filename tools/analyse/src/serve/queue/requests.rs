//! Requests of pages about the queue.

use super::entry::{Entry, Task};
use super::{Budget, Queue, State};
use crate::serve::admission::Role;
use crate::serve::board::{Answer, Fields, RequestError, now};
use lento_uci::words::quoted;
use serde_json::{Value, json};
use std::sync::Arc;

/// Maximum number of entries and total number of positions, including those of removed entries, which are dropped to make room.
const MAX_ENTRIES: usize = 10_000;
const MAX_POSITIONS: usize = 200_000;
/// Maximum total size of documents in bytes.
const MAX_BYTES: usize = 128 << 20;
/// Initial distance between ranks, for later insertions.
const STEP: i64 = 1 << 20;

impl Queue {
    pub fn answer(self: &Arc<Self>, ask: &str, role: Role, fields: Fields) -> Answer {
        match ask {
            "queue-add" => self.add(fields),
            "queue-remove" => self.set_removed(fields, true),
            "queue-restore" => self.set_removed(fields, false),
            "queue-move" => self.move_entry(fields),
            "queue-pause" => self.pause(fields),
            "queue-extend" => self.extend(fields),
            "queue-look" => self.look(fields),
            "queue-open" => self.open(role, fields),
            _ => {
                let text = format!("unknown request {}; docs/serve.md lists them", quoted(ask));
                Err(RequestError::new("unknown-ask", "ask", text))
            }
        }
    }

    fn add(self: &Arc<Self>, fields: Fields) -> Answer {
        let now = now();
        let task = Task::parse(fields, now)?;
        task.budget.check_time(now)?;
        let entry = Entry::new(task, 0);
        if entry.left() == 0 {
            let text = "the game is over here; expected a position with legal moves";
            return Err(RequestError::new("over", "moves", text));
        }
        let mut state = self.state.lock();
        state.check_owner()?;
        let before = before(&state, fields)?;
        while let Some((max, what)) = state.limit_exceeded_with(&entry) {
            if !state.drop_removed() {
                let text = format!("more than {max} {what}; remove some");
                return Err(RequestError::new("queue-full", "", text));
            }
        }
        state.last += 1;
        let number = state.last;
        state.entries.insert(number, entry);
        state.rank(number, before);
        self.done(state)?;
        Ok(json!({ "entry": number }))
    }

    fn set_removed(self: &Arc<Self>, fields: Fields, is_removed: bool) -> Answer {
        let mut state = self.state.lock();
        for number in some(&state, fields)? {
            state.set_removed(number, is_removed);
        }
        self.done(state)
    }

    fn move_entry(self: &Arc<Self>, fields: Fields) -> Answer {
        let mut state = self.state.lock();
        let number = one(&state, fields, "entry")?;
        let before = before(&state, fields)?;
        if before != Some(number) {
            state.rank(number, before);
        }
        self.done(state)
    }

    fn pause(self: &Arc<Self>, fields: Fields) -> Answer {
        let expected = "true or false";
        let is_paused = fields.need("paused", expected, fields.read("paused", expected, Value::as_bool)?)?;
        let mut state = self.state.lock();
        if fields.get("entry").is_some() {
            let number = one(&state, fields, "entry")?;
            if let Some(entry) = state.entries.get_mut(&number) {
                entry.is_paused = is_paused;
            }
            state.change(number);
        } else {
            state.is_paused = is_paused;
            (state.is_changed, state.is_unsaved) = (true, true);
            let all: Vec<u64> = state.order.iter().map(|&(_, number)| number).collect();
            state.changed.extend(all);
        }
        self.done(state)
    }

    /// Searches a finished entry on, up to a new budget.
    fn extend(self: &Arc<Self>, fields: Fields) -> Answer {
        let (now, budget) = (now(), Budget::parse(fields)?);
        budget.check_time(now)?;
        let mut state = self.state.lock();
        let number = one(&state, fields, "entry")?;
        let entry = state.entries.get_mut(&number).filter(|entry| entry.is_over(now));
        let unfinished = || RequestError::new("unfinished", "entry", format!("entry {number} is not finished yet"));
        entry.ok_or_else(unfinished)?.extend(budget);
        state.change(number);
        self.done(state)
    }

    fn look(&self, fields: Fields) -> Answer {
        let state = self.state.lock();
        let number = one(&state, fields, "entry")?;
        Ok(state.entries[&number].look())
    }

    /// The place of a position, or the board of a game with its current report. For read-only visitors, no report is made.
    fn open(self: &Arc<Self>, role: Role, fields: Fields) -> Answer {
        let state = self.state.lock();
        let number = one(&state, fields, "entry")?;
        let Entry { task, board, .. } = &state.entries[&number];
        if task.is_game() && role == Role::View {
            let text = "this token is read-only, and the game has no report yet; expected one with write access";
            let (board, _) = board.as_ref().ok_or_else(|| RequestError::new("view-only", "", text))?;
            return Ok(json!({ "board": &**board }));
        }
        if task.is_game() {
            drop(state);
            return self.report(number).map(|board| json!({ "board": board }));
        }
        let content: Value = serde_json::from_str(&task.content).unwrap_or_default();
        Ok(json!({ "start": content["start"], "chess960": content["chess960"], "moves": content["moves"] }))
    }
}

pub fn unknown_entry(field: impl Into<String>, number: u64) -> RequestError {
    RequestError::new("unknown-entry", field, format!("no entry {number} in the queue"))
}

/// The existing entry named by a field.
fn one(state: &State, fields: Fields, field: &str) -> Result<u64, RequestError> {
    let number = fields.need(field, "the number of an entry", fields.number(field, 0..=u64::MAX)?)?;
    match state.entries.get(&number) {
        Some(entry) if entry.removed.is_none() => Ok(number),
        _ => Err(unknown_entry(fields.name(field), number)),
    }
}

/// The entry or entries of a request. Skips dropped ones, unless all are.
fn some(state: &State, fields: Fields) -> Result<Vec<u64>, RequestError> {
    let numbers = match fields.get("entries") {
        None => vec![fields.need("entry", "the number of an entry", fields.number("entry", 0..=u64::MAX)?)?],
        Some(_) => {
            let number = |value: &Value| {
                value.as_u64().ok_or_else(|| RequestError::expected("entries", value, "a list of numbers"))
            };
            fields.list("entries")?.iter().map(number).collect::<Result<_, _>>()?
        }
    };
    let known: Vec<u64> = numbers.iter().copied().filter(|number| state.entries.contains_key(number)).collect();
    match numbers.first() {
        Some(&number) if known.is_empty() => Err(unknown_entry("entry", number)),
        _ => Ok(known),
    }
}

/// The entry to insert before; `None` for the end.
fn before(state: &State, fields: Fields) -> Result<Option<u64>, RequestError> {
    fields.get("before").map(|_| one(state, fields, "before")).transpose()
}

impl State {
    /// Fails if another server owns the queue.
    pub(super) fn check_owner(&self) -> Result<(), RequestError> {
        match self.is_taken {
            true => Err(RequestError::new("queue-taken", "", format!("{}; use that one", self.unstored))),
            false => Ok(()),
        }
    }

    /// Removes or restores an entry, if necessary.
    fn set_removed(&mut self, number: u64, is_removed: bool) {
        self.changes += 1;
        let entry = self.entries.get_mut(&number).filter(|entry| entry.removed.is_some() != is_removed);
        let Some(entry) = entry else { return };
        entry.removed = is_removed.then_some(self.changes);
        let place = (entry.rank, number);
        if is_removed {
            self.order.remove(&place);
        } else {
            self.order.insert(place);
        }
        self.change(number);
    }

    /// Moves an entry before another one or to the end.
    fn rank(&mut self, number: u64, before: Option<u64>) {
        let old = self.entries[&number].rank;
        self.order.remove(&(old, number));
        let mut room = self.room(before);
        if room.is_none() {
            // Redistributes all ranks.
            let all: Vec<u64> = self.order.iter().map(|&(_, number)| number).collect();
            self.order.clear();
            for (rank, number) in (1..).map(|at: i64| at * STEP).zip(all) {
                self.set_rank(number, rank);
            }
            room = self.room(before);
        }
        self.set_rank(number, room.unwrap_or(STEP));
    }

    /// A free rank before an entry or at the end, if any.
    fn room(&self, before: Option<u64>) -> Option<i64> {
        let Some(before) = before else { return Some(self.order.last().map_or(0, |&(rank, _)| rank) + STEP) };
        let next = self.entries[&before].rank;
        let last = self.order.range(..(next, before)).next_back().map_or(next - 2 * STEP, |&(rank, _)| rank);
        (next - last > 1).then(|| last + (next - last) / 2)
    }

    fn set_rank(&mut self, number: u64, rank: i64) {
        if let Some(entry) = self.entries.get_mut(&number) {
            entry.rank = rank;
            self.order.insert((rank, number));
            self.change(number);
        }
    }

    /// A limit that the queue would exceed with another entry, and what it limits.
    fn limit_exceeded_with(&self, entry: &Entry) -> Option<(usize, &'static str)> {
        let all = || self.entries.values().chain([entry]);
        let totals = [
            (all().count(), MAX_ENTRIES, "entries"),
            (all().map(|entry| entry.positions.len()).sum(), MAX_POSITIONS, "positions"),
            (all().map(|entry| entry.task.content.len()).sum(), MAX_BYTES, "bytes"),
        ];
        totals.into_iter().find(|(count, max, _)| count > max).map(|(_, max, what)| (max, what))
    }

    /// Drops the entry that was removed first; false without one.
    fn drop_removed(&mut self) -> bool {
        let is_running = |number| self.running.iter().any(|&(running, _)| running == number);
        let removed = self.entries.iter().filter_map(|(&number, entry)| Some((entry.removed?, number)));
        let Some((_, number)) = removed.filter(|&(_, number)| !is_running(number)).min() else { return false };
        self.entries.remove(&number);
        self.changed.remove(&number);
        self.unsaved.insert(number);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    fn entry() -> Entry {
        Entry::new(Task::parse(Fields::new(&Map::new(), ""), 0).unwrap(), 0)
    }

    #[test]
    fn removed_entries_come_back_unless_they_made_room() {
        let mut state = State::default();
        for number in 1..=MAX_ENTRIES as u64 {
            state.entries.insert(number, entry());
            state.rank(number, None);
        }
        assert_eq!(state.limit_exceeded_with(&entry()), Some((MAX_ENTRIES, "entries")));
        assert!(!state.drop_removed());
        (1..=5000).rev().for_each(|number| state.set_removed(number, true));
        assert_eq!(state.order.len(), MAX_ENTRIES - 5000);
        assert!(state.drop_removed() && !state.entries.contains_key(&5000), "the first that was removed");
        assert_eq!(state.limit_exceeded_with(&entry()), None);
        let named = |entries: Value| some(&state, Fields::new(&Map::from_iter([("entries".into(), entries)]), ""));
        assert_eq!(named(json!([4999, 5000])).ok(), Some(vec![4999]));
        assert!(named(json!([5000])).is_err());
        (1..5000).for_each(|number| state.set_removed(number, false));
        assert_eq!(state.order.len(), MAX_ENTRIES - 1);
    }
}
