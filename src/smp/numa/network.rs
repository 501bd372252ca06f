//! A copy of the network in the memory of each NUMA node.

use crate::eval::Evaluation;
use crate::eval::nnue::Network;
use crate::sync::Mutex;
use std::sync::Arc;

/// The network of one node: the original and its copy.
#[derive(Default)]
pub(crate) struct NodeNetwork(Mutex<Option<[Arc<Network>; 2]>>);

impl NodeNetwork {
    /// The evaluation with the node's copy of its network. If missing, the calling thread makes the copy, so that the system
    /// allocates it in memory near that thread.
    pub(crate) fn local(&self, evaluation: &Evaluation) -> Evaluation {
        let original = &evaluation.network;
        let mut copied = self.0.lock();
        let current = copied.take_if(|[from, _]| Arc::ptr_eq(from, original));
        let copy = || [Arc::clone(original), Arc::new(Network::clone(original))];
        let [_, copy] = copied.insert(current.unwrap_or_else(copy));
        Evaluation { network: Arc::clone(copy), ..*evaluation }
    }

    /// Whether there is a copy of the evaluation's network.
    pub(crate) fn has_copy(&self, evaluation: &Evaluation) -> bool {
        self.0.lock().as_ref().is_some_and(|[from, _]| Arc::ptr_eq(from, &evaluation.network))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;
    use crate::eval::Scaling;
    use crate::eval::nnue::embedded;

    #[test]
    fn nodes_have_one_copy_with_the_same_scores() {
        let (evaluation, nodes) = (Evaluation::default(), [NodeNetwork::default(), NodeNetwork::default()]);
        assert!(!nodes[0].has_copy(&evaluation));
        let network = |evaluation: &Evaluation| Arc::as_ptr(&evaluation.network);
        let [first, again, second] = [0, 0, 1].map(|node: usize| nodes[node].local(&evaluation));
        assert_eq!(network(&first), network(&again));
        assert!(network(&first) != network(&second) && network(&first) != network(&evaluation));
        assert!(nodes[0].has_copy(&evaluation));
        let (game, scaling) = (Game::start(), Scaling(100));
        assert_eq!(first.value(game.board(), scaling), evaluation.value(game.board(), scaling));
        // Another network replaces the copy.
        let other = Evaluation::from(Arc::new(Network::clone(&embedded())));
        nodes[0].local(&other);
        assert!(nodes[0].has_copy(&other) && !nodes[0].has_copy(&evaluation));
    }
}
