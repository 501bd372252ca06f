//! Tests that mostly wait, run in parallel.

use crate::board::queue::queue_in_database_survives_a_killed_server;
use crate::{admission, connect, page};
use std::thread;

#[test]
fn waiting_tests_in_parallel() {
    let tests: [fn(); 5] = [
        admission::silent_and_surplus_connections_are_closed,
        connect::server_may_start_later,
        connect::searches_continue_after_reconnection,
        page::visitor_without_pong_is_disconnected,
        queue_in_database_survives_a_killed_server,
    ];
    thread::scope(|scope| tests.map(|test| _ = scope.spawn(test)));
}
