//! What was found, as lines of UCI that the broker takes.

use serde_json::Value;
use std::fmt::Write;

/// Moves of a line that the broker passes on.
const MAX_PV: usize = 30;

/// The lines of an answer; none unless all of them are exact and have moves.
pub fn infos(answer: &Value) -> Option<String> {
    let lines = answer["lines"].as_array().filter(|lines| !lines.is_empty())?;
    let mut text = String::new();
    for (line, number) in lines.iter().zip(1..) {
        let pv = line["pv"].as_array().filter(|pv| !pv.is_empty() && line["bound"] == "exact")?;
        let score = match (&line["score"]["cp"], &line["score"]["mate"]) {
            (Value::Number(cp), _) => format!("cp {cp}"),
            (_, Value::Number(mate)) => format!("mate {mate}"),
            _ => return None,
        };
        let _ = write!(text, "info depth {} seldepth {}", line["depth"], line["seldepth"]);
        let _ = write!(text, " multipv {number} score {score} nodes {} nps {}", answer["nodes"], answer["nps"]);
        let _ = write!(text, " hashfull {} tbhits {} time {} pv", line["hashfull"], line["tb_hits"], answer["time_ms"]);
        pv.iter().take(MAX_PV).filter_map(Value::as_str).for_each(|mv| _ = write!(text, " {mv}"));
        text.push('\n');
    }
    Some(text)
}

/// The end of a search.
pub fn best_move(answer: &Value) -> String {
    match (answer["best"]["uci"].as_str(), answer["ponder"]["uci"].as_str()) {
        (Some(best), Some(ponder)) => format!("bestmove {best} ponder {ponder}\n"),
        (Some(best), None) => format!("bestmove {best}\n"),
        (None, _) => "bestmove (none)\n".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_whole_exact_sets_are_lines() {
        let line = |bound: &str| {
            json!({ "depth": 7, "seldepth": 9, "score": { "cp": -12 }, "bound": bound, "hashfull": 1, "tb_hits": 0,
                "pv": ["e2e4", "e7e5"] })
        };
        let answer = |lines: Value| json!({ "nodes": 10, "nps": 5, "time_ms": 2000, "lines": lines });
        let counters = "nodes 10 nps 5 hashfull 1 tbhits 0 time 2000";
        assert_eq!(
            infos(&answer(json!([line("exact"), line("exact")]))),
            Some(format!(
                "info depth 7 seldepth 9 multipv 1 score cp -12 {counters} pv e2e4 e7e5\n\
                 info depth 7 seldepth 9 multipv 2 score cp -12 {counters} pv e2e4 e7e5\n"
            ))
        );
        assert_eq!(infos(&answer(json!([line("exact"), line("lower")]))), None);
        assert_eq!(infos(&answer(json!([]))), None);
        let mut long = line("exact");
        (long["pv"], long["score"]) = (json!(vec!["e2e4"; 50]), json!({ "mate": -3 }));
        let text = infos(&answer(json!([long]))).expect("a line");
        assert_eq!((text.matches("e2e4").count(), text.contains("score mate -3 ")), (30, true));
        assert_eq!(best_move(&json!({ "best": null })), "bestmove (none)\n");
    }
}
