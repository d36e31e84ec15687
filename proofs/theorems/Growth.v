(** With a residual stream, more depth never loses information. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Growth.
Variable position : finType.
Variable A : rel position.
Implicit Types (q k m : position).

(** One more layer reaches at least as much. *)
Theorem power_grows_by_one : reflexive A -> forall L, subrel (power A L) (power A L.+1).
Proof. by move=> reflA L q k; apply: compose_path (reflA q). Qed.

(** A deeper stack reaches at least as much. *)
Theorem power_grows : reflexive A -> forall L L', L <= L' -> subrel (power A L) (power A L').
Proof.
move=> reflA L L' /subnKC <-; elim: (L' - L) => [|d IH] q k; first by rewrite addn0.
by move/IH; rewrite addnS; apply: power_grows_by_one.
Qed.

(** Every positive power of a reflexive mask contains the mask. *)
Lemma mask_in_power : reflexive A -> forall L, 0 < L -> subrel A (power A L).
Proof. by move=> reflA L posL q k; rewrite -power_one; apply: power_grows. Qed.

(** Once two consecutive powers agree, all later ones agree too: a checker may stop there. *)
Theorem stable_forever L :
  power A L =2 power A L.+1 -> forall L', L <= L' -> power A L' =2 power A L.
Proof.
move=> stable L' /subnKC <-; elim: (L' - L) => [|d IH] q k; first by rewrite addn0.
by rewrite addnS /= (compose_ext (rrefl A) IH) -/(power A L.+1) -stable.
Qed.
End Growth.
