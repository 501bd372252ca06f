//! Tests that mostly wait, at the same time.

use crate::board::queue::the_queue_of_a_database_outlives_a_killed_server;
use crate::{admission, connect, page};
use std::thread;

#[test]
fn what_mostly_waits() {
    let tests: [fn(); 5] = [
        admission::silent_and_surplus_connections_change_nothing,
        connect::a_server_that_starts_later,
        connect::searches_outlast_the_connection,
        page::a_visitor_who_answers_no_ping_has_gone,
        the_queue_of_a_database_outlives_a_killed_server,
    ];
    thread::scope(|scope| tests.map(|test| _ = scope.spawn(test)));
}
