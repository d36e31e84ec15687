(** Without helpers, small own inputs bound the total context. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Antichain.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Capacity.
(** One position per token: position [x] predicts token [x]. *)
Variables (token : finType) (R : rel token) (own : token -> {set token}) (a : nat).
Hypothesis transR : transitive R.
Hypothesis small_own : forall x, #|own x| <= a.
Hypothesis no_leak : forall x, x \notin context R own x.
Implicit Types (x y : token).

(** The number of pairs in the order. *)
Definition order_pairs := \sum_x #|[set y | R x y]|.

(** The total context. *)
Definition total_context := \sum_x #|context R own x|.

(** Each readable position brings at most [a] tokens. *)
Lemma context_small x : #|context R own x| <= a * #|[set y | R x y]|.
Proof.
rewrite /context; apply: (leq_trans (n := \sum_(y | R x y) #|own y|)).
  elim/big_rec2: _ => [|y n S _ le]; first by rewrite cards0.
  by rewrite (leq_trans (leq_card_setU _ _).1) // leq_add2l.
by rewrite mulnC -sum1dep_card big_distrl /=; apply: leq_sum => y _; rewrite mul1n.
Qed.

(** Whatever [x] reads must not know token [x] either. *)
Lemma order_pairs_missing : order_pairs <= \sum_y #|~: context R own y|.
Proof.
have count (S : token -> {set token}) : \sum_x #|S x| = \sum_x \sum_y (y \in S x).
  by apply: eq_bigr => x _; rewrite -sum1_card big_mkcond.
rewrite /order_pairs !count exchange_big /=; apply: leq_sum => x _; apply: leq_sum => y _.
rewrite !inE; case Ryx: (R y x) => //=.
have := context_monotone own transR Ryx => /subsetP/(_ y)/contra/(_ (no_leak y)).
by case: (y \in _).
Qed.

(** The total context is at most [a / (a + 1)] of the square of the number of tokens. *)
Theorem capacity : total_context * a.+1 <= #|token| ^ 2 * a.
Proof.
have few: total_context <= a * order_pairs.
  by rewrite /total_context /order_pairs big_distrr /=; apply: leq_sum => x _; apply: context_small.
have split: \sum_y #|~: context R own y| + total_context = #|token| ^ 2.
  rewrite /total_context -big_split /= (eq_bigr (fun _ => #|token|)).
    by rewrite sum_nat_const -mulnn.
  by move=> y _; rewrite addnC cardsC.
have := order_pairs_missing; move: split; move: (\sum_y _) => missing <- le_pairs.
by rewrite mulnDl mulnS leq_add2r (leq_trans few) // mulnC leq_mul2r le_pairs orbT.
Qed.
End Capacity.
