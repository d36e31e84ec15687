(** What no transformer does without positions, and none does under a causal mask. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask DownSet EqualStates.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Infeasible.
Variables (token : eqType) (state : eqType).
Variables (embed : token -> state) (rules : seq (rule state)).
Hypothesis blind : forall F, List.In F rules -> order_blind F.

(** A sequence under a mask by places. *)
Definition masked (mask : nat -> nat -> bool) n (tokens : 'I_n -> token) : diagram token :=
  @Diagram token [finType of 'I_n] (fun q k => mask q k) tokens.

(** What the sequence becomes. *)
Definition output mask n (tokens : 'I_n -> token) : seq state :=
  [seq states embed rules (q : masked mask tokens) | q <- enum 'I_n].

(** Every token reads every token. *)
Definition full (q k : nat) : bool := true.

(** Every token reads itself and those before it. *)
Definition causal_mask (q k : nat) : bool := k <= q.

(** Without positions an output has at most as many different tokens as the input. *)
Theorem output_not_longer n (tokens : 'I_n -> token) :
  size (undup (output full tokens)) <= size (undup (map tokens (enum 'I_n))).
Proof.
pose become x := omap (states embed rules) [pick q : masked full tokens | tokens q == x].
apply: leq_trans (_ : size (pmap become (undup (map tokens (enum 'I_n)))) <= _); last first.
  by rewrite size_pmap count_size.
apply: uniq_leq_size (undup_uniq _) _ => y; rewrite mem_undup => /mapP[q _ {y}->].
rewrite mem_pmap; apply/mapP; exists (tokens q).
  by rewrite mem_undup; apply: map_f; rewrite mem_enum.
rewrite /become; case: pickP => [p /eqP same|/(_ q)]; last by rewrite eqxx.
by congr Some; apply: class_mates_agree.
Qed.

(** Without positions the same set of different tokens has the same set of outputs. *)
Theorem same_set_same_output n m (a : 'I_n -> token) (b : 'I_m -> token) :
  injective a -> injective b ->
  (forall q, exists p, b p == a q) -> (forall p, exists q, a q == b p) ->
  output full a =i output full b.
Proof.
move=> inj_a inj_b a_in_b b_in_a.
pose f (q : masked full a) : masked full b := xchoose (a_in_b q).
have fE q : b (f q) = a q by apply/eqP/(xchooseP (a_in_b q)).
have iso : isomorphism (P := masked full a) (Q := masked full b) xpredT xpredT f.
  split=> [//|p _|q q' _ _ eq_f|//|q _]; last by rewrite /= fE.
    by have [q /eqP eq_q] := b_in_a p; exists q => //; apply: inj_b; rewrite fE.
  by apply: inj_a; rewrite -!fE eq_f.
have same q : states embed rules (q : masked full a) = states embed rules (f q).
  by apply: (isomorphism_keeps_states embed blind _ _ iso).
move=> x; apply/mapP/mapP => [[q _ ->]|[p _ ->]].
  by exists (f q); rewrite ?mem_enum ?same.
have [q _ eq_p] : exists2 q, true & f q = p by apply: (iso_onto iso).
by exists q; rewrite ?mem_enum ?same ?eq_p.
Qed.

(** Under a causal mask tokens up to some place become the same in all sequences that begin so. *)
Theorem same_prefix_same_states n m (a : 'I_n -> token) (b : 'I_m -> token) length :
  length <= n -> length <= m ->
  (forall (q : 'I_n) (p : 'I_m), q < length -> q = p :> nat -> a q = b p) ->
  forall (q : 'I_n) (p : 'I_m), q < length -> q = p :> nat ->
  states embed rules (q : masked causal_mask a) = states embed rules (p : masked causal_mask b).
Proof.
move=> le_n le_m agree q p lt_q eq_qp; have lt_0m : 0 < m by apply: leq_ltn_trans (ltn_ord p).
have place (x : 'I_n) : x < length -> x < m by move=> lt_x; apply: leq_trans lt_x le_m.
pose f (x : masked causal_mask a) : masked causal_mask b :=
  odflt p (insub (val (x : 'I_n)) : option 'I_m).
have fE (x : 'I_n) : x < length -> f x = x :> nat.
  by move=> lt_x; rewrite /f insubT ?place.
pose D : pred (masked causal_mask a) := fun x : 'I_n => x < length.
pose E : pred (masked causal_mask b) := fun y : 'I_m => y < length.
have iso : isomorphism D E f.
  rewrite /D /E; split=> [x lt_x|y lt_y|x y lt_x lt_y eq_f|x y lt_x lt_y|x lt_x] /=.
  - by rewrite fE.
  - exists (Ordinal (leq_trans lt_y le_n)) => //; apply: val_inj; exact: (fE (Ordinal _)).
  - by apply: val_inj; rewrite /= -(fE x) // eq_f fE.
  - by rewrite /causal_mask !fE.
  - by apply: agree; rewrite ?fE.
rewrite (isomorphism_keeps_states embed blind (D := D) (E := E) _ _ iso) //.
- by congr (states _ _ _); apply: val_inj; rewrite /= -eq_qp; apply: fE.
- by move=> x y lt_x /= le_y; apply: leq_ltn_trans le_y lt_x.
- by move=> x y lt_x /= le_y; apply: leq_ltn_trans le_y lt_x.
Qed.

(** If the first tokens of an output are in all other outputs, what is common to all and the
    places that are left must suffice for it. *)
Theorem prefix_leaves_room (own : seq state) (others : seq (seq state)) length :
  {in take length own, forall x, all (fun other => x \in other) others} ->
  size (undup own) <=
  size (undup [seq x <- own | all (fun other => x \in other) others]) + (size own - length).
Proof.
move=> common; rewrite -size_drop -size_cat; apply: uniq_leq_size (undup_uniq _) _ => x.
rewrite mem_undup mem_cat mem_undup mem_filter -{1}(cat_take_drop length own) mem_cat.
case/orP=> [x_in|->]; last by rewrite orbT.
by rewrite (common x x_in) (mem_take x_in).
Qed.
End Infeasible.
