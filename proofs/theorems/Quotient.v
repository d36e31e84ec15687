(** The classes of mutual reachability form a partial order. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Growth Limit Representative.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Quotient.
Variable position : finType.
Variable R : rel position.
Hypothesis preR : preorder R.
Implicit Types (q k p : position).

(** Two positions are mutual if each reads the other. *)
Definition mutual : rel position := fun q k => R q k && R k q.

(** Each position is mutual to itself. *)
Lemma mutual_refl : reflexive mutual.
Proof. by move=> q; rewrite /mutual (proj1 preR). Qed.

(** Mutual reading goes both ways. *)
Lemma mutual_sym : symmetric mutual.
Proof. by move=> q k; rewrite /mutual andbC. Qed.

(** Mutual reading chains. *)
Lemma mutual_trans : transitive mutual.
Proof.
case: preR => _ transR k q p /andP[Rqk Rkq] /andP[Rkp Rpk].
by rewrite /mutual (transR k) ?(transR k p q).
Qed.

(** A class of mutual positions. *)
Definition node := class_of mutual.

(** The class of a position. *)
Definition node_of q : node :=
  exist _ (representative mutual q)
      (introT eqP (representative_idem mutual_refl mutual_sym mutual_trans q)).

(** One class reads another if its representative does. *)
Definition node_reads : rel node := fun c d => R (val c) (val d).

(** Positions share a class exactly if they are mutual. *)
Theorem node_ofP q k : reflect (node_of q = node_of k) (mutual q k).
Proof.
apply: (iffP (representativeP mutual_refl mutual_sym mutual_trans q k)) => [eq_rep|].
  exact: val_inj.
by move/(congr1 val).
Qed.

(** The order of the classes does not depend on the chosen representatives. *)
Theorem node_reads_well_defined q k : node_reads (node_of q) (node_of k) = R q k.
Proof.
case: preR => _ transR; rewrite /node_reads /=.
have /andP[q_rq rq_q] := same_representative mutual_refl q.
have /andP[k_rk rk_k] := same_representative mutual_refl k.
apply/idP/idP => [r|Rqk]; first exact: transR q_rq (transR _ _ _ r rk_k).
exact: transR rq_q (transR _ _ _ Rqk k_rk).
Qed.

(** The classes with this order are a partial order. *)
Theorem quotient_partial_order : partial_order node_reads.
Proof.
case: preR => reflR transR; split.
  by split=> [c|d c e]; [apply: reflR|apply: transR].
move=> c d mut; apply: val_inj.
have /(representativeP mutual_refl mutual_sym mutual_trans) := mut : mutual (val c) (val d).
by rewrite (eqP (valP c)) (eqP (valP d)).
Qed.

(** A class is the class of its representative. *)
Lemma node_of_val (c : node) : node_of (val c) = c.
Proof. by apply: val_inj; apply: eqP (valP c). Qed.

(** Every class is the class of some position. *)
Theorem node_of_onto (c : node) : exists q, node_of q = c.
Proof. by exists (val c); apply: node_of_val. Qed.
End Quotient.

(** For masks: the classes of the limit of any mask form a partial order. *)
Corollary mask_quotient_partial_order (position : finType) (M : rel position) :
  partial_order (@node_reads _ (limit (residual M))).
Proof. apply: quotient_partial_order; apply: limit_preorder; exact: residual_reflexive. Qed.
