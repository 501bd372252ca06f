//! Makes a conversation that fails as short as possible.

use super::step::{Conversation, Step};
use std::time::{Duration, Instant};

/// Each attempt may have to wait for an answer that never comes.
const LONGEST: Duration = Duration::from_secs(300);
/// A failure that depends on timing has to be met again.
const ATTEMPTS: usize = 3;

/// Leaves out whatever the failure does not need.
pub fn shrink(conversation: &Conversation, fails: impl Fn(&Conversation) -> bool) -> Conversation {
    let deadline = Instant::now() + LONGEST;
    let fails = |steps: &[Step]| {
        let candidate = Conversation(steps.to_vec());
        (0..ATTEMPTS).any(|_| Instant::now() < deadline && fails(&candidate))
    };
    let steps = fewer(&by_line(&conversation.0), &fails);
    let steps = fewer(&steps, &fails);
    // Lines in one write may fail where lines in several writes do not, and the other way round: shorter is as few writes.
    let joined = join(&steps);
    Conversation(if fails(&joined) { joined } else { steps })
}

/// Every line in a write of its own.
fn by_line(steps: &[Step]) -> Vec<Step> {
    let split = |step: &Step| match step {
        Step::Write(bytes) => {
            bytes.split_inclusive(|&byte| byte == b'\n').map(|line| Step::Write(line.into())).collect()
        }
        other => vec![other.clone()],
    };
    steps.iter().flat_map(split).collect()
}

/// Writes that follow each other become one.
fn join(steps: &[Step]) -> Vec<Step> {
    let mut joined: Vec<Step> = Vec::new();
    for step in steps {
        match (joined.last_mut(), step) {
            (Some(Step::Write(before)), Step::Write(bytes)) => before.extend_from_slice(bytes),
            _ => joined.push(step.clone()),
        }
    }
    joined
}

/// Leaves out runs of steps, long ones first, as long as it fails.
fn fewer(steps: &[Step], fails: &impl Fn(&[Step]) -> bool) -> Vec<Step> {
    let mut steps = steps.to_vec();
    let mut length = steps.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < steps.len() {
            let end = (at + length).min(steps.len());
            let without: Vec<Step> = [&steps[..at], &steps[end..]].concat();
            // Lines in one write are tried first: what depends on timing fails more often.
            let joined = join(&without);
            if fails(&joined) || fails(&without) {
                steps = without;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    steps
}
