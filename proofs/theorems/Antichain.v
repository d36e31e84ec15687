(** Positions that each see everything but their own token cannot see one another. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** The tokens that reach a position: the union of the own inputs upstream of it. *)
Definition context (position token : finType) (R : rel position)
  (own : position -> {set token}) (q : position) : {set token} :=
  \bigcup_(k | R q k) own k.

(** What is upstream brings its whole context along. *)
Lemma context_monotone (position token : finType) (R : rel position)
  (own : position -> {set token}) q k :
  transitive R -> R q k -> context R own k \subset context R own q.
Proof.
move=> transR Rqk; apply/bigcupsP=> m Rkm; apply: (bigcup_sup m); exact: transR Rqk Rkm.
Qed.

Section Antichain.
Variables (position token : finType) (R : rel position).
Variable own : position -> {set token}.
Variable predictor : token -> position.
Hypothesis preR : preorder R.
Hypothesis full_context : forall x, context R own (predictor x) = [set~ x].
Implicit Types (x y : token).

(** No predictor with full context reads another one. *)
Theorem full_context_antichain x y : R (predictor x) (predictor y) -> x = y.
Proof.
case: preR => _ transR /(context_monotone own transR); rewrite !full_context.
by move/subsetP/(_ x); rewrite !inE eqxx; case: eqP => //= _ /(_ isT).
Qed.

(** Different tokens need different predictors. *)
Lemma predictor_injective : injective predictor.
Proof. by move=> x y eq_xy; apply: full_context_antichain; rewrite eq_xy (proj1 preR). Qed.

(** With as many positions as tokens, each own input already holds all other tokens. *)
Theorem no_helpers_no_compression x :
  #|position| = #|token| -> own (predictor x) = [set~ x].
Proof.
move=> same_size; rewrite -full_context; apply/eqP; rewrite eqEsubset; apply/andP; split.
  by apply: (bigcup_sup (predictor x)); case: preR.
apply/bigcupsP=> k.
have [inv _ invK] := inj_card_bij predictor_injective (eq_leq same_size).
by rewrite -{1}[k]invK => /full_context_antichain->; rewrite invK.
Qed.

(** So if some predictor holds fewer tokens than that, auxiliary positions are forced. *)
Theorem helpers_forced x : #|own (predictor x)| < #|token|.-1 -> #|token| < #|position|.
Proof.
move=> small; rewrite ltn_neqAle (leq_card _ predictor_injective) andbT.
apply: contraTneq small => same_size.
by rewrite no_helpers_no_compression // cardsC1 ltnn.
Qed.
End Antichain.
