(** An inductive invariant proves that no number of layers leaks. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** First for all sets, finite or not: this is what an SMT proof for all
    sequence lengths needs, where the positions are the integers. *)
Section AnySet.
Variable position : Type.
Implicit Types (q k m : position) (A J Bad : position -> position -> Prop).

(** A path through a stack of layers, each with its own mask, last layer first. *)
Inductive stack_path : seq (position -> position -> Prop) -> position -> position -> Prop :=
| no_layer q : stack_path [::] q q
| one_more_layer A below q m k :
    A q m -> stack_path below m k -> stack_path (A :: below) q k.

(** The three conditions that a prover has to show. *)
Record inductive_invariant (allowed : (position -> position -> Prop) -> Prop) J Bad : Prop := {
  holds_at_start : forall q, J q q;
  kept_by_layers : forall A, allowed A -> forall q m k, A q m -> J m k -> J q k;
  avoids_bad : forall q k, J q k -> ~ Bad q k }.

(** For every schedule: layers may differ, and there may be any number of them. *)
Theorem invariant_sound_any_schedule allowed J Bad :
  inductive_invariant allowed J Bad ->
  forall layers, (forall A, List.In A layers -> allowed A) ->
  forall q k, stack_path layers q k -> ~ Bad q k.
Proof.
move=> inv layers ok q k path_qk; apply: (avoids_bad inv).
elim: path_qk ok => [p _|A below p m k' Apm _ IH ok]; first exact: (holds_at_start inv).
apply: (kept_by_layers inv (ok A _) Apm); first by left.
by apply: IH => B inB; apply: ok; right.
Qed.

(** The same for one mask with a residual stream, repeated any number of times. *)
Theorem invariant_sound A J Bad :
  (forall q, J q q) ->
  (forall q m k, A q m -> J m k -> J q k) ->
  (forall q k, J q k -> ~ Bad q k) ->
  forall L q k, stack_path (nseq L (fun q k => q = k \/ A q k)) q k -> ~ Bad q k.
Proof.
move=> start step safe L.
have inv : inductive_invariant (fun B => B = fun q k => q = k \/ A q k) J Bad.
  by split=> // B -> q m k [->|] //; apply: step.
apply: (invariant_sound_any_schedule inv) => B.
by elim: L => //= L IH [<-|/IH].
Qed.

(** The masks of the first [L] layers of an endless schedule, last layer first. *)
Fixpoint first_layers (schedule : nat -> position -> position -> Prop) (L : nat) :=
  if L is L'.+1 then schedule L' :: first_layers schedule L' else [::].

(** The same with one invariant for each phase, as for alternating local and global layers. *)
Theorem phased_invariant_sound (schedule J : nat -> position -> position -> Prop) Bad :
  (forall q, J 0 q q) ->
  (forall L q m k, schedule L q m -> J L m k -> J L.+1 q k) ->
  (forall L q k, J L q k -> ~ Bad q k) ->
  forall L q k, stack_path (first_layers schedule L) q k -> ~ Bad q k.
Proof.
move=> start step safe L q k path_qk; apply: (safe L).
elim: L q path_qk => [|L IH] q path_qk.
  by move E: (first_layers schedule 0) path_qk => layers path_qk; case: path_qk E.
move E: (first_layers schedule L.+1) path_qk => layers path_qk.
case: path_qk E IH => // A below {}q m {}k Aqm path_mk [eqA eq_below] IH.
by apply: (step L q m); [rewrite eqA|apply: IH; rewrite eq_below].
Qed.

(** The same with the new layer put below instead of on top, for every schedule. *)
Theorem invariant_sound_from_below (allowed : (position -> position -> Prop) -> Prop) J Bad :
  (forall q, J q q) ->
  (forall A, allowed A -> forall q m k, J q m -> A m k -> J q k) ->
  (forall q k, J q k -> ~ Bad q k) ->
  forall layers, (forall A, List.In A layers -> allowed A) ->
  forall q k, stack_path layers q k -> ~ Bad q k.
Proof.
move=> start step safe layers ok q k path_qk; apply: safe.
suff gen: forall p, J p q -> J p k by exact: gen (start q).
elim: path_qk ok => // B below {}q m {}k Bqm _ IH ok p Jpq.
apply: IH => [C inC|]; first by apply: ok; right.
exact: (step B (ok B (or_introl erefl))) Jpq Bqm.
Qed.

(** Paths through two stacks, one below the other, are one path. *)
Lemma stack_path_cat upper lower q m k :
  stack_path upper q m -> stack_path lower m k -> stack_path (upper ++ lower) q k.
Proof.
elim=> {upper q m} [q //|A upper q p m Aqp _ IH] path_mk.
exact: one_more_layer Aqp (IH path_mk).
Qed.

(** A relation holds no more than what some depth reaches, if each of its pairs is read, or has a
    position between on either side of which a pair of smaller rank remains. *)
Theorem ranked_pairs_are_reached A J (rank : position -> position -> nat) :
  (forall q k, J q k -> [\/ q = k, A q k |
     exists m, A q m /\ J m k /\ rank m k < rank q k \/
               J q m /\ A m k /\ rank q m < rank q k]) ->
  forall q k, J q k -> exists L, stack_path (nseq L A) q k.
Proof.
move=> pairs q k; have [n] := ubnP (rank q k); elim: n q k => // n IH q k le_n Jqk.
have one x y : A x y -> stack_path (nseq 1 A) x y.
  by move=> Axy; apply: one_more_layer Axy (no_layer y).
case: (pairs q k Jqk) => [<-|Aqk|[m [[Aqm [Jmk lt]]|[Jqm [Amk lt]]]]].
- by exists 0; apply: no_layer.
- by exists 1; apply: one.
- have [L path_mk] := IH m k (leq_trans lt le_n) Jmk.
  by exists L.+1; apply: one_more_layer Aqm path_mk.
- have [L path_qm] := IH q m (leq_trans lt le_n) Jqm.
  by exists (L + 1); rewrite nseqD; apply: stack_path_cat path_qm (one m k Amk).
Qed.
End AnySet.

(** Then for finite sets, where the three conditions are a program. *)
Section FiniteSet.
Variable position : finType.
Implicit Types (A J Bad : rel position) (q k m : position).

(** The certificate checker: start, step, and safety, all by enumeration. *)
Definition check_invariant A J Bad : bool :=
  [&& [forall q, J q q],
      [forall q, forall k, compose A J q k ==> J q k] &
      [forall q, forall k, ~~ (J q k && Bad q k)]].

(** If the checker accepts a certificate, then no depth reaches a bad pair. *)
Theorem check_invariant_sound A J Bad :
  check_invariant A J Bad -> forall L q k, power (residual A) L q k -> ~~ Bad q k.
Proof.
case/and3P=> /forallP start /forallP step /forallP safe L q k path_qk.
suff Jqk: J q k by have /forallP/(_ k) := safe q; rewrite Jqk.
elim: L q path_qk => [|L IH] q /=; first by move/eqP=> <-; apply: start.
case/composeP=> m [/orP[/eqP->|Aqm] /IH Jmk] //.
by have /forallP/(_ k)/implyP := step q; apply; apply: compose_path Aqm Jmk.
Qed.

(** The checker is complete: a mask that is safe at every depth has a certificate. *)
Theorem check_invariant_complete A Bad :
  (forall L q k, power (residual A) L q k -> ~~ Bad q k) ->
  exists J, check_invariant A J Bad.
Proof.
move=> safe; exists (connect A); apply/and3P; split.
- by apply/forallP=> q; apply: connect0.
- apply/forallP=> q; apply/forallP=> k; apply/implyP=> /composeP[m [Aqm]].
  exact: connect_trans (connect1 Aqm).
- apply/forallP=> q; apply/forallP=> k; apply/negP=> /andP[/connectP[p path_p ->] bad].
  suff path_qk: power (residual A) (size p) q (last q p).
    by move/negP: (safe _ _ _ path_qk).
  apply/powerP; exists p; split=> //.
  by apply: sub_path path_p => x y Axy; rewrite /residual Axy orbT.
Qed.
End FiniteSet.
