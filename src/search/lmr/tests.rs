//! Compares each recipe with tables computed by hand from its source.

use super::*;

fn compiled(name: &str) -> Lmr {
    Lmr::compile(RecipeName::from_name(name).unwrap().recipe(&Params::default(), &Rebel::default()))
}

/// The reduction of a quiet move in plies; `None` if the gates forbid one.
fn plies(lmr: &Lmr, depth: i32, number: usize, known: &[Fact], history: i32) -> Option<i32> {
    let known = Facts::of(known);
    let sum = || lmr.reduction(lmr.sum(true, depth, number, known, history, 0), false);
    lmr.applies(known, depth, number).then(|| lmr.fixed(known).unwrap_or_else(sum) / PLY)
}

/// Rows of (depth, number, facts, history) → plies.
type Row<'a> = (i32, usize, &'a [Fact], i32, Option<i32>);

fn check(name: &str, rows: &[Row]) {
    let lmr = compiled(name);
    for &(depth, number, known, history, expected) in rows {
        let found = plies(&lmr, depth, number, known, history);
        assert_eq!(found, expected, "{name}: depth {depth}, number {number}, {known:?}, history {history}");
    }
}

#[test]
fn default_and_no_reductions_are_plain() {
    assert!(compiled("tuned").plain && compiled("off").plain);
}

#[test]
fn off() {
    check("off", &[(3, 3, &[], 0, None), (63, 63, &[], -9999, None)]);
}

/// "Never reduce" and `can_reduce` of the guide: reductions start at the third move and depth 3; captures, promotions, checks and
/// killers are not reduced. PV, improving and history change the result by one each.
#[test]
fn guide_gates_and_adjustments() {
    check(
        "guide-adaptive",
        &[
            (3, 2, &[], 0, None),
            (2, 3, &[], 0, None),
            (3, 3, &[], 0, Some(1)),
            (5, 20, &[], 0, Some(1)),
            (20, 5, &[], 0, Some(1)),
            (6, 6, &[], 0, Some(2)),
            (9, 9, &[Fact::Noisy], 0, None),
            (9, 9, &[Fact::GivesCheck], 0, None),
            (9, 9, &[Fact::Killer], 0, None),
            (9, 9, &[Fact::Pv], 0, Some(1)),
            (9, 9, &[Fact::Improving], 0, Some(1)),
            (9, 9, &[Fact::Pv, Fact::Improving], 0, Some(0)),
            (9, 9, &[], 1000, Some(2)),
            (9, 9, &[], 1001, Some(1)),
            (9, 9, &[], -1000, Some(2)),
            (9, 9, &[], -1001, Some(3)),
        ],
    );
    check("guide-fixed", &[(3, 3, &[], 0, Some(1)), (30, 30, &[], 0, Some(1)), (30, 30, &[], -2000, Some(2))]);
}

/// `max 1 (min (ln depth · ln number / divisor) (depth - 2))`. The guide's own examples are move 3 at depth 6: 1, move 10 at
/// depth 6: 2, move 20 at depth 10: 3.
#[test]
fn guide_logarithmic() {
    check(
        "guide-log",
        &[
            (6, 3, &[], 0, Some(1)),
            (6, 10, &[], 0, Some(2)),
            (10, 20, &[], 0, Some(3)),
            (3, 40, &[], 0, Some(1)),
            (20, 40, &[], 0, Some(5)),
        ],
    );
    check("guide-conservative", &[(6, 10, &[], 0, Some(1)), (10, 20, &[], 0, Some(2)), (20, 40, &[], 0, Some(3))]);
    check(
        "guide-aggressive",
        &[(6, 10, &[], 0, Some(2)), (10, 20, &[], 0, Some(4)), (20, 40, &[], 0, Some(7)), (4, 60, &[], 0, Some(2))],
    );
    check("guide-custom", &[(6, 3, &[], 0, Some(1)), (10, 20, &[], 0, Some(2)), (40, 40, &[], 0, Some(3))]);
}

/// `movesSearched >= 4 && ply >= 3`, no capture, not in check, one ply.
#[test]
fn mediocre() {
    check(
        "mediocre",
        &[
            (3, 3, &[], 0, None),
            (2, 4, &[], 0, None),
            (3, 4, &[], 0, Some(1)),
            (30, 40, &[Fact::Pv], -9999, Some(1)),
            (30, 40, &[Fact::Capture, Fact::Noisy], 0, None),
            (30, 40, &[Fact::InCheck], 0, None),
            (30, 40, &[Fact::Killer, Fact::GivesCheck], 0, Some(1)),
        ],
    );
}

/// By the number of the quiet move only.
#[test]
fn madchess() {
    check(
        "madchess",
        &[
            (3, 2, &[], 0, None),
            (3, 3, &[], 0, Some(1)),
            (9, 6, &[], -500, Some(1)),
            (9, 7, &[], 500, Some(2)),
            (9, 13, &[], 0, Some(3)),
            (9, 13, &[Fact::InCheck], 0, None),
            (9, 13, &[Fact::GivesCheck], 0, None),
            (9, 13, &[Fact::Noisy], 0, None),
        ],
    );
    let lmr = compiled("madchess");
    assert!(lmr.recipe.counts_quiets);
    assert!(lmr.recipe.history_rule.is_some_and(|rule| rule.orders && rule.quiet_cuts_only));
}

/// The first listing: the gates, then one ply, two below -500, three below -1500, at most one at the root.
#[test]
fn rebel_simple() {
    check(
        "rebel-simple",
        &[
            (2, 4, &[], 0, None),
            (3, 3, &[], 0, None),
            (3, 4, &[], 0, Some(1)),
            (30, 40, &[], 1999, Some(1)),
            (9, 9, &[Fact::Capture], 0, None),
            (9, 9, &[Fact::QueenPromotion], 0, None),
            (9, 9, &[Fact::InCheck], 0, None),
            (9, 9, &[Fact::GivesCheck], 0, None),
            (9, 9, &[Fact::FarPawn], 0, None),
            (9, 9, &[Fact::Killer], 0, Some(1)),
            (9, 9, &[], -500, Some(1)),
            (9, 9, &[], -501, Some(2)),
            (9, 9, &[], -1500, Some(2)),
            (9, 9, &[], -1501, Some(3)),
        ],
    );
    let lmr = compiled("rebel-simple");
    let at_root = lmr.reduction(lmr.sum(true, 9, 9, Facts::NONE, -1999, 0), true);
    assert_eq!(at_root, PLY, "root moves are reduced only once");
    let rule = lmr.recipe.history_rule.unwrap();
    assert_eq!(((rule.loss)(7), rule.max_ply, rule.limit), (7, 8, 2000));
}

/// The second listing with all lines enabled, each worth one ply of R, at 50 %. R is approximated by the integer part of
/// `ln(depth) · ln(number)`: 4 at depth 8 and number 10, 12 at depth 30 and number 40.
#[test]
fn rebel() {
    check(
        "rebel",
        &[
            (2, 40, &[], 0, None),
            (8, 10, &[], 0, Some(2)),
            (30, 40, &[], 0, Some(6)),
            (30, 40, &[Fact::InCheck], 0, None),
            (30, 40, &[Fact::QueenPromotion], 0, None),
            (30, 40, &[Fact::FarPawn], 0, None),
            (30, 40, &[Fact::GoodCapture], 0, None),
            (30, 40, &[Fact::GoodCheck], 0, None),
            (30, 40, &[Fact::RootBest], 0, None),
            (30, 40, &[Fact::BadCapture], -1999, Some(1)),
            (30, 40, &[Fact::BadCheck], -1999, Some(1)),
            (30, 40, &[Fact::Killer], 0, Some(5)),
            (8, 10, &[], 1, Some(1)),
            (8, 10, &[], 501, Some(1)),
            (8, 10, &[], 1001, Some(0)),
            (8, 10, &[], 1501, Some(0)),
            (8, 10, &[], -1, Some(2)),
            (8, 10, &[], -501, Some(3)),
            (8, 10, &[], -1001, Some(3)),
            (8, 10, &[], -1501, Some(4)),
        ],
    );
    let terms = compiled("rebel").recipe.terms.to_vec();
    let of = |signal| terms.iter().find(|term| term.signal == signal).map(|term| (term.from, term.change));
    assert_eq!(of(Signal::Surplus), Some((51, -10)), "above the margin");
    assert_eq!(of(Signal::PassedGain), Some((25, -10)), "the margin itself suffices");
    assert_eq!(of(Signal::Loss), Some((50, 10)));
    assert_eq!((of(Signal::Threats), terms.len()), (Some((1, -10)), 9));
}

#[test]
fn rebel_settings_are_applied() {
    let change = |change: fn(&mut Rebel)| {
        let mut rebel = Rebel::default();
        change(&mut rebel);
        Lmr::compile(RecipeName::Rebel.recipe(&Params::default(), &rebel))
    };
    let without = change(|rebel| rebel.lines.iter_mut().for_each(|line| line.on = false));
    assert_eq!(plies(&without, 30, 40, &[Fact::Killer, Fact::BadCapture], -1999), Some(6));
    assert!(without.recipe.terms.is_empty());
    let whole = change(|rebel| rebel.percent = 100);
    assert_eq!(plies(&whole, 8, 10, &[], 0), Some(4));
    let heavy = change(|rebel| rebel.lines[6].weight = 25);
    assert_eq!(plies(&heavy, 8, 10, &[], -1), Some(3), "(40 + 25) · 50 % = 32 tenths");
    let extending = change(|rebel| rebel.extends = true);
    assert_eq!((extending.reduced(5, -PLY, false), change(|_| ()).reduced(5, -PLY, false)), (6, 5));
}

fn set(main: RecipeName, helpers: Helpers) -> LmrSet {
    LmrSet::compile(&Choice { main, helpers, ..Choice::default() }, &Params::default())
}

#[test]
fn helpers_get_their_recipes() {
    let same = set(RecipeName::Mediocre, Helpers::Same);
    assert!(std::ptr::eq(same.of(0), same.of(1)) && std::ptr::eq(same.of(0), same.of(7)));
    let named = set(RecipeName::Tuned, Helpers::Recipe(RecipeName::Off));
    assert!(std::ptr::eq(named.of(0), &*named.tuned) && std::ptr::eq(named.of(1), named.of(2)));
    assert!(!named.of(1).applies(Facts::NONE, 30, 30));
    let rotating = set(RecipeName::Off, Helpers::Rotate);
    assert!(std::ptr::eq(rotating.of(1), &*rotating.tuned) && std::ptr::eq(rotating.of(5), &*rotating.tuned));
    assert!(!std::ptr::eq(rotating.of(2), rotating.of(3)));
}

#[test]
fn choice_uses_main_helper_and_rotated_recipes() {
    let choice = Choice { helpers: Helpers::Rotate, ..Choice::default() };
    assert!([RecipeName::Tuned, RecipeName::GuideLog].iter().all(|&recipe| choice.uses(recipe)));
    assert!(!choice.uses(RecipeName::Rebel));
    assert!(Choice { main: RecipeName::Rebel, ..Choice::default() }.uses(RecipeName::Rebel));
}
