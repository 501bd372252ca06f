//! Shrinks a failing conversation.

use super::step::{Conversation, Step};
use std::time::{Duration, Instant};

/// Time limit; attempts may have to wait for a timeout.
const TIME_LIMIT: Duration = Duration::from_secs(300);
/// Attempts to reproduce a timing-dependent failure.
const ATTEMPTS: usize = 3;

/// Removes all steps that the failure does not need.
pub fn shrink(conversation: &Conversation, fails: impl Fn(&Conversation) -> bool) -> Conversation {
    let deadline = Instant::now() + TIME_LIMIT;
    let fails = |steps: &[Step]| {
        let candidate = Conversation(steps.to_vec());
        (0..ATTEMPTS).any(|_| Instant::now() < deadline && fails(&candidate))
    };
    let steps = remove_runs(&by_line(&conversation.0), &fails);
    let steps = remove_runs(&steps, &fails);
    // Some failures need several lines in one write, others separate writes; prefer fewer writes.
    let joined = join(&steps);
    Conversation(if fails(&joined) { joined } else { steps })
}

/// Splits writes into one per line.
fn by_line(steps: &[Step]) -> Vec<Step> {
    let split = |step: &Step| match step {
        Step::Write(bytes) => {
            bytes.split_inclusive(|&byte| byte == b'\n').map(|line| Step::Write(line.into())).collect()
        }
        other => vec![other.clone()],
    };
    steps.iter().flat_map(split).collect()
}

/// Merges adjacent writes.
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

/// Removes runs of steps, longest first, as long as the conversation fails.
fn remove_runs(steps: &[Step], fails: &impl Fn(&[Step]) -> bool) -> Vec<Step> {
    let mut steps = steps.to_vec();
    let mut length = steps.len() / 2;
    while length > 0 {
        let mut start = 0;
        while start < steps.len() {
            let end = (start + length).min(steps.len());
            let without: Vec<Step> = [&steps[..start], &steps[end..]].concat();
            // Merged writes first: timing-dependent failures are more frequent with them.
            let joined = join(&without);
            if fails(&joined) || fails(&without) {
                steps = without;
            } else {
                start += length;
            }
        }
        length /= 2;
    }
    steps
}
