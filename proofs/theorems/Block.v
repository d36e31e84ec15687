(** One feed-forward block bends a line at as many knots as it has neurons, exactly, over the
    rational numbers. *)
From Coq Require Import QArith Qminmax Lqa List ssreflect.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope Q_scope.

(** The positive part of a number. *)
Definition relu (x : Q) : Q := Qmax 0 x.

(** A neuron of a block of the line: it adds [weight * relu (read * x + bias)]. *)
Record neuron := Neuron { read : Q; bias : Q; weight : Q }.

(** What the neurons of a block add up to. *)
Fixpoint neurons (ns : list neuron) (x : Q) : Q :=
  match ns with
  | nil => 0
  | n :: rest => weight n * relu (read n * x + bias n) + neurons rest x
  end.

(** A feed-forward block of the line. *)
Definition block (eta : Q) (ns : list neuron) (x : Q) : Q := eta * x + neurons ns x.

(** A continuous piecewise linear map: it goes through [v] at [t] with slope [s], up to the first
    knot of the list, and from each knot with the slope that stands beside it. *)
Fixpoint pieces (t v s : Q) (knots : list (Q * Q)) (x : Q) : Q :=
  match knots with
  | nil => v + s * (x - t)
  | (t', s') :: rest =>
    if Qle_bool x t' then v + s * (x - t) else pieces t' (v + s * (t' - t)) s' rest x
  end.

(** The knots stand from left to right, none of them left of [t]. *)
Fixpoint ascending (t : Q) (knots : list (Q * Q)) : Prop :=
  match knots with
  | nil => True
  | (t', _) :: rest => t <= t' /\ ascending t' rest
  end.

(** A neuron for each knot, with the difference of the slopes as its weight. *)
Fixpoint bends (s : Q) (knots : list (Q * Q)) : list neuron :=
  match knots with
  | nil => nil
  | (t, s') :: rest => Neuron 1 (- t) (s' - s) :: bends s' rest
  end.

(** Right of zero [relu] is the identity. *)
Lemma relu_right x : 0 <= x -> relu x == x.
Proof. exact: Q.max_r. Qed.

(** Left of zero [relu] vanishes. *)
Lemma relu_left x : x <= 0 -> relu x == 0.
Proof. exact: Q.max_l. Qed.

(** Left of all knots the neurons add nothing. *)
Lemma bends_left t s knots x : ascending t knots -> x <= t -> neurons (bends s knots) x == 0.
Proof.
elim: knots t s => [|[t' s'] rest IH] t s /=; first by [].
case=> tt' up xt; have xt' : x <= t' by lra.
rewrite (IH t') // relu_left; [lra | ring].
Qed.

(** A piecewise linear map is its first line, bent by the neurons. *)
Lemma pieces_bends t v s knots x :
  ascending t knots -> pieces t v s knots x == v + s * (x - t) + neurons (bends s knots) x.
Proof.
elim: knots t v s => [|[t' s'] rest IH] t v s /=; first by move=> *; ring.
case=> tt' up; case E: (Qle_bool x t').
  move/Qle_bool_iff: E => xt'.
  by rewrite (bends_left s' up) // relu_left; [lra | ring].
have xt' : t' <= x.
  case: (Qlt_le_dec t' x) => [|le]; first exact: Qlt_le_weak.
  by move/Qle_bool_iff: le; rewrite E.
by rewrite IH // relu_right; [lra | ring].
Qed.

(** There is one neuron for each knot. *)
Lemma bends_width s knots : length (bends s knots) = length knots.
Proof. by elim: knots s => [|[t s'] rest IH] s //=; rewrite IH. Qed.

(** A map whose first line goes through the origin is a block with one neuron for each knot. *)
Theorem block_bends t s knots x :
  ascending t knots -> block s (bends s knots) x == pieces t (s * t) s knots x.
Proof. by move=> up; rewrite /block (pieces_bends _ _ _ up); ring. Qed.

(** Any other map needs at most one neuron more, which is constant. *)
Theorem block_bends_anywhere t v s knots x :
  ascending t knots ->
  block s (Neuron 0 1 (v - s * t) :: bends s knots) x == pieces t v s knots x.
Proof.
by move=> up; rewrite /block (pieces_bends _ _ _ up) /= relu_right; [lra | ring].
Qed.

(** Width four: the line through the origin with slope [s0], bent at four knots to any slopes. *)
Corollary block_of_width_four t1 t2 t3 t4 s0 s1 s2 s3 s4 :
  t1 <= t2 -> t2 <= t3 -> t3 <= t4 ->
  exists ns, length ns = 4%nat /\ forall x,
    block s0 ns x ==
    pieces t1 (s0 * t1) s0 ((t1, s1) :: (t2, s2) :: (t3, s3) :: (t4, s4) :: nil) x.
Proof.
move=> t12 t23 t34; eexists; split; last first.
  by move=> x; apply: block_bends => /=; repeat split=> //; apply: Qle_refl.
by [].
Qed.

(** Width four: any continuous map with three knots, of any slopes and any value at the first. *)
Corollary block_of_width_four_anywhere t1 t2 t3 v s0 s1 s2 s3 :
  t1 <= t2 -> t2 <= t3 ->
  exists ns, length ns = 4%nat /\ forall x,
    block s0 ns x == pieces t1 v s0 ((t1, s1) :: (t2, s2) :: (t3, s3) :: nil) x.
Proof.
move=> t12 t23; eexists; split; last first.
  by move=> x; apply: block_bends_anywhere => /=; repeat split=> //; apply: Qle_refl.
by [].
Qed.
