//! What the threads of one memory node share: a copy of the network that lies in the node's memory.

use crate::eval::nnue::Network;
use crate::eval::{Evaluation, Model};
use crate::sync::Mutex;
use std::sync::Arc;

/// A memory node, as its threads see it.
pub struct Home {
    network: Mutex<Option<Copied>>,
}

struct Copied {
    original: Arc<Network>,
    copy: Arc<Network>,
}

impl Home {
    /// A node without a copy.
    pub fn new() -> Self {
        Self { network: Mutex::new(None) }
    }

    /// The evaluation with the node's own copy of its network, which is made unless it is there. It is made by the calling
    /// thread, so that the system puts it into the memory near that thread.
    pub fn near(&self, evaluation: &Evaluation) -> Evaluation {
        let Model::Nnue(original, simd) = &evaluation.model else { return evaluation.clone() };
        let mut network = self.network.lock();
        let copy = match &*network {
            Some(copied) if Arc::ptr_eq(&copied.original, original) => Arc::clone(&copied.copy),
            _ => {
                let copy = Arc::new(Network::clone(original));
                *network = Some(Copied { original: Arc::clone(original), copy: Arc::clone(&copy) });
                copy
            }
        };
        Evaluation { model: Model::Nnue(copy, *simd), ..*evaluation }
    }

    /// Whether the node has a copy of the network that an evaluation uses.
    pub fn has_copy(&self, evaluation: &Evaluation) -> bool {
        let Model::Nnue(original, _) = &evaluation.model else { return false };
        self.network.lock().as_ref().is_some_and(|copied| Arc::ptr_eq(&copied.original, original))
    }
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::chess::Game;
    use crate::eval::nnue::embedded;
    use crate::eval::nnue::simd::Simd;
    use crate::search::params::Params;

    #[test]
    fn each_node_has_one_copy_that_values_alike() {
        let (evaluation, homes) = (Evaluation::default(), [Home::new(), Home::new()]);
        assert!(!homes[0].has_copy(&evaluation));
        let network = |evaluation: &Evaluation| match &evaluation.model {
            Model::Nnue(network, _) => Arc::as_ptr(network),
            Model::Classical => panic!("a network"),
        };
        let [first, again, second] = [0, 0, 1].map(|home: usize| homes[home].near(&evaluation));
        assert_eq!(network(&first), network(&again));
        assert!(network(&first) != network(&second) && network(&first) != network(&evaluation));
        assert!(homes[0].has_copy(&evaluation));
        let (game, scaling) = (Game::start(), Params::default().scaling());
        assert_eq!(first.value(game.board(), scaling), evaluation.value(game.board(), scaling));
        // Another network takes its place; terms need none.
        let other = Evaluation::from(Model::Nnue(Arc::new(Network::clone(&embedded())), Simd::best()));
        homes[0].near(&other);
        assert!(homes[0].has_copy(&other) && !homes[0].has_copy(&evaluation));
        let classical = Evaluation::from(Model::Classical);
        assert!(matches!(homes[0].near(&classical).model, Model::Classical) && !homes[0].has_copy(&classical));
    }
}
