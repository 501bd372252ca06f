//! The option `Drawish Endings`.

use crate::harness::{Session, last_pv, lines, number, run};

/// Bishop up, drawn.
const ROOKS: &str = "1k6/7r/8/3K4/8/2B5/3R4/8 w - - 0 1";

/// Output of `eval`, and score and nodes of a search.
fn evaluate(session: &mut Session, fen: &str) -> (Vec<String>, i32, u64) {
    session.send(&format!("ucinewgame\nposition fen {fen}\neval"));
    let output = session.sync();
    let found = session.search("go depth 8");
    (output, number(last_pv(&found), "cp"), number(last_pv(&found), "nodes"))
}

fn reports_drawish(output: &[String]) -> bool {
    output.iter().any(|line| line.starts_with("drawish ending KRBvKR: "))
}

#[test]
fn option_scores_drawish_endings_as_draws() {
    let mut session = Session::ready();
    let (output, ..) = evaluate(&mut session, ROOKS);
    assert!(!reports_drawish(&output) && !output.iter().any(|line| line.starts_with("shown as +0.00")), "{output:#?}");

    session.send("setoption name Drawish Endings value true");
    let (output, score, nodes) = evaluate(&mut session, ROOKS);
    assert!(reports_drawish(&output), "{output:#?}");
    assert!(output.iter().any(|line| line.starts_with("shown as +0.00 ")), "{output:#?}");
    assert!(score == 0 && nodes > 300, "{score}, {nodes} nodes");
    let (output, ..) = evaluate(&mut session, "6k1/6r1/8/8/8/8/1RB4P/1K6 w - - 0 1");
    assert!(!reports_drawish(&output), "{output:#?}");

    let refused = session.set("drawishendings", "perhaps");
    assert!(refused[0].starts_with("info string ERROR: option Drawish Endings expects true or false, not \"perhaps\""));
    assert!(reports_drawish(&evaluate(&mut session, ROOKS).0), "a refused value changes nothing");
}

#[test]
fn eval_has_the_option_as_a_flag() {
    let output = lines(&run(&["eval", "--drawish-endings", "--fen", ROOKS]));
    assert!(reports_drawish(&output) && output.iter().any(|line| line.starts_with("shown as +0.00 ")), "{output:#?}");
    assert!(!reports_drawish(&lines(&run(&["eval", "--fen", ROOKS]))));
}
