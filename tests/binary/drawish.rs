//! Drawish endings as draws, with the real binary.

use crate::harness::{Session, last_pv, lines, number, run};

/// A bishop ahead, and no win.
const ROOKS: &str = "1k6/7r/8/3K4/8/2B5/3R4/8 w - - 0 1";

/// The output of `eval`, and score and nodes of a search.
fn judge(session: &mut Session, fen: &str) -> (Vec<String>, i32, u64) {
    session.say(&format!("ucinewgame\nposition fen {fen}\neval"));
    let said = session.sync();
    let told = session.search("go depth 8");
    (said, number(last_pv(&told), "cp"), number(last_pv(&told), "nodes"))
}

fn is_called_drawish(said: &[String]) -> bool {
    said.iter().any(|line| line.starts_with("drawish ending KRBvKR: "))
}

#[test]
fn the_option_makes_draws_of_drawish_endings() {
    let mut session = Session::ready();
    let (said, ..) = judge(&mut session, ROOKS);
    assert!(!is_called_drawish(&said) && !said.iter().any(|line| line.starts_with("shown as +0.00")), "{said:#?}");

    session.say("setoption name Drawish Endings value true");
    let (said, score, nodes) = judge(&mut session, ROOKS);
    assert!(is_called_drawish(&said), "{said:#?}");
    assert!(said.iter().any(|line| line.starts_with("shown as +0.00 ")), "{said:#?}");
    assert!(score == 0 && nodes > 300, "{score}, {nodes} nodes");
    let (said, ..) = judge(&mut session, "6k1/6r1/8/8/8/8/1RB4P/1K6 w - - 0 1");
    assert!(!is_called_drawish(&said), "{said:#?}");

    let refused = session.set("drawishendings", "perhaps");
    assert!(refused[0].starts_with("info string ERROR: option Drawish Endings expects true or false, not \"perhaps\""));
    assert!(is_called_drawish(&judge(&mut session, ROOKS).0), "a refused value changes nothing");
}

#[test]
fn the_command_line_has_it_too() {
    let said = lines(&run(&["eval", "--drawish-endings", "--fen", ROOKS]));
    assert!(is_called_drawish(&said) && said.iter().any(|line| line.starts_with("shown as +0.00 ")), "{said:#?}");
    assert!(!is_called_drawish(&lines(&run(&["eval", "--fen", ROOKS]))));
}
