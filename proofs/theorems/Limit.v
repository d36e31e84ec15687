(** The powers of a mask stop growing, and the limit is a preorder. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Growth.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Limit.
Variable position : finType.
Implicit Types (A B R : rel position) (q k m : position).

(** The limit of a mask, computed with one layer less than there are positions. *)
Definition limit A : rel position := power A #|position|.-1.

(** A power only holds along a chain of readings. *)
Lemma power_connect A L : subrel (power A L) (connect A).
Proof. by move=> q k /powerP[p [_ path_p <-]]; apply/connectP; exists p. Qed.

(** If [q] depends on [k] at all, then a path without repetition shows it within the limit. *)
Lemma connect_limit A : reflexive A -> subrel (connect A) (limit A).
Proof.
move=> reflA q k /connectP[p path_p ->{k}].
case/shortenP: path_p => s path_s uniq_s _.
apply: (power_grows reflA (L := size s)); last by apply/powerP; exists s.
have := max_card (mem (q :: s)); rewrite (card_uniqP uniq_s) /= => lt_size.
by rewrite -ltnS (ltn_predK lt_size).
Qed.

(** The limit is exactly the reflexive-transitive closure of mathcomp. *)
Theorem limit_connect A : reflexive A -> limit A =2 connect A.
Proof.
by move=> reflA q k; apply/idP/idP; [apply: power_connect|apply: connect_limit].
Qed.

(** On [n] positions the power [n - 1] equals every later power. *)
Theorem power_stabilises A :
  reflexive A -> forall L, #|position|.-1 <= L -> power A L =2 power A #|position|.-1.
Proof.
move=> reflA L leL q k; apply/idP/idP; last exact: power_grows.
by move/power_connect/(connect_limit reflA).
Qed.

(** The limit is a preorder. *)
Theorem limit_preorder A : reflexive A -> preorder (limit A).
Proof.
move=> reflA; split=> [q|k q m]; rewrite !limit_connect //; exact: connect_trans.
Qed.

(** The limit contains the mask. *)
Theorem limit_contains A : reflexive A -> subrel A (limit A).
Proof. by move=> reflA q k Aqk; rewrite limit_connect //; apply: connect1. Qed.

(** A preorder that contains the mask contains all its powers. *)
Lemma power_below_preorder A R : preorder R -> subrel A R -> forall L, subrel (power A L) R.
Proof.
move=> [reflR transR] subAR; elim=> [|L IH] q k /=; first by move/eqP=> ->.
by case/composeP=> m [/subAR Rqm /IH]; apply: transR.
Qed.

(** The limit is the least preorder that contains the mask. *)
Theorem limit_least A R : preorder R -> subrel A R -> subrel (limit A) R.
Proof. by move=> preR subAR; apply: power_below_preorder. Qed.

(** The limit is the union of all powers: [k] can reach [q] at some depth or never. *)
Theorem limit_is_some_depth A q k :
  reflexive A -> limit A q k <-> exists L, power A L q k.
Proof.
move=> reflA; split=> [lim|[L]]; first by exists #|position|.-1.
by move/power_connect; rewrite limit_connect.
Qed.

(** The limit grows with the mask. *)
Lemma limit_monotone A B : subrel A B -> subrel (limit A) (limit B).
Proof. exact: power_monotone. Qed.

(** A preorder is its own limit. *)
Lemma limit_of_preorder A : preorder A -> limit A =2 A.
Proof.
move=> preA q k; apply/idP/idP; first exact: limit_least.
by apply: limit_contains; case: preA.
Qed.
End Limit.
