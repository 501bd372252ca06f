//! Over which memory nodes the pages of a table are spread.

use std::cell::RefCell;
use std::io;

/// What became of the pages of the table that was allocated last.
#[derive(Debug)]
pub enum Spread {
    /// They lie where the system puts them.
    AsSystem,
    /// They are spread evenly over the nodes.
    Over,
    /// They were to be spread, which the system refused.
    Refused(io::Error),
}

struct Scope {
    nodes: Vec<usize>,
    outcome: Option<Spread>,
}

thread_local! {
    static SCOPE: RefCell<Option<Scope>> = const { RefCell::new(None) };
}

/// Runs something that may allocate a table on this thread, and spreads that table's pages over the memory of these nodes; one node
/// or none leaves them to the system. Says what became of it; `None` when no table was allocated.
pub fn spread_over<R>(nodes: &[usize], allocate: impl FnOnce() -> R) -> (R, Option<Spread>) {
    SCOPE.set(Some(Scope { nodes: nodes.to_vec(), outcome: None }));
    let result = allocate();
    (result, SCOPE.take().and_then(|scope| scope.outcome))
}

/// Calls `bind` with the nodes to spread a new table over, if there are several, and notes what it says.
pub(super) fn note(bind: impl FnOnce(&[usize]) -> io::Result<()>) {
    SCOPE.with_borrow_mut(|scope| {
        if let Some(Scope { nodes, outcome }) = scope {
            *outcome = Some(match nodes.len() {
                0 | 1 => Spread::AsSystem,
                _ => bind(nodes).map_or_else(Spread::Refused, |()| Spread::Over),
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::Tt;
    use super::*;

    #[test]
    fn what_became_of_a_table_is_told() {
        let allocate = || Tt::new(1, 1).map(|table| table.size_mib());
        assert!(matches!(spread_over(&[], allocate), (Ok(1), Some(Spread::AsSystem))));
        assert!(matches!(spread_over(&[0], allocate), (Ok(1), Some(Spread::AsSystem))));
        assert!(matches!(spread_over(&[0, 1], || ()), ((), None)));
        // No system has all of these, and the kernel ignores those that are not there.
        assert!(matches!(spread_over(&[0, 1023], allocate), (Ok(1), Some(Spread::Over | Spread::Refused(_)))));
        assert!(matches!(spread_over(&[0, 5000], allocate), (Ok(1), Some(Spread::Refused(_)))));
        assert!(matches!(spread_over(&[1021, 1022], allocate), (Ok(1), Some(Spread::Refused(_)))));
    }
}
