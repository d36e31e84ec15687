(** Any stable colouring is a certificate of equal states. *)
From Coq Require Import Permutation.
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask DownSet EqualStates.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** Lists with matching keys have matching values, if equal keys mean equal values. *)
Lemma Permutation_by_key (S T key : eqType) (value : Type)
  (c : S -> key) (d : T -> key) (h : S -> value) (g : T -> value) (s : seq S) (t : seq T) :
  (forall x y, x \in s -> y \in t -> c x = d y -> h x = g y) ->
  perm_eq (map c s) (map d t) -> Permutation (map h s) (map g t).
Proof.
elim: s t => [|x s IH] t same; first by rewrite perm_sym => /perm_nilP; case: t same.
move=> eq_st; have: c x \in map d t by rewrite -(perm_mem eq_st) mem_head.
case/mapP=> y ty eq_xy.
rewrite /= (same x y (mem_head _ _) ty eq_xy); case/splitPr: ty same eq_st => t1 t2 same.
rewrite map_cat /= perm_sym perm_catC /= -eq_xy perm_cons perm_catC -map_cat perm_sym => eq_s.
rewrite map_cat /=; apply: (@Permutation_cons_app _ _ (map g t1) (map g t2)).
have: Permutation (map h s) (map g (t1 ++ t2)); last by rewrite map_cat.
apply: IH eq_s => a b sa tb.
apply: same; first by rewrite inE sa orbT.
by move: tb; rewrite !mem_cat inE => /orP[->|->]; rewrite ?orbT.
Qed.

Section StableColouring.
Variables (label key : eqType) (P Q : diagram label).
Variables (c : P -> key) (d : Q -> key) (D : pred P) (E : pred Q).
Variables (state : Type) (embed : label -> state).

(** A colouring is stable if equal colours mean equal inputs and equal multisets of colours read. *)
Definition stable_colouring : Prop :=
  forall v w, D v -> E w -> c v = d w ->
  input v = input w /\
  perm_eq [seq c k | k <- enum P & reads v k] [seq d k | k <- enum Q & reads w k].

(** Equally coloured positions have equal states at every depth, if nothing outside is read. *)
Theorem stable_colouring_keeps_states rules :
  (forall x y, D x -> reads x y -> D y) ->
  (forall x y, E x -> reads x y -> E y) ->
  stable_colouring -> (forall F, List.In F rules -> order_blind F) ->
  forall v w, D v -> E w -> c v = d w -> states embed rules v = states embed rules w.
Proof.
move=> closedD closedE stable; elim: rules => [|F rules IH] blind v w Dv Ew eq_vw /=.
  by have [->] := stable v w Dv Ew eq_vw.
have {}IH := IH (fun G inG => blind G (or_intror inG)).
rewrite (IH v w Dv Ew eq_vw); apply: (blind F (or_introl erefl)).
have [_ perm] := stable v w Dv Ew eq_vw; apply: Permutation_by_key perm => x y.
rewrite !mem_filter => /andP[vx _] /andP[wy _].
exact: IH (closedD _ _ Dv vx) (closedE _ _ Ew wy).
Qed.
End StableColouring.

(** What an isomorphism does to colours, head by head: it keeps each round of refinement, also after
    a position is singled out together with its image. So a search that singles out one position on
    one side, and in turn each of its colour on the other, misses no isomorphism. *)
Section KeptColours.
Variables (label key : eqType) (P Q : diagram label) (D : pred P) (E : pred Q) (f : P -> Q).
Variables (c : P -> key) (d : Q -> key).
Hypothesis closedD : forall x y, D x -> reads x y -> D y.
Hypothesis closedE : forall x y, E x -> reads x y -> E y.
Hypothesis iso : isomorphism D E f.
Hypothesis kept : forall x, D x -> c x = d (f x).

(** Images read what has the same colours. *)
Theorem isomorphism_keeps_colours x : D x ->
  perm_eq [seq c k | k <- enum P & reads x k] [seq d y | y <- enum Q & reads (f x) y].
Proof.
move=> Dx; have same := perm_map d (isomorphism_read_set closedD closedE iso Dx).
have <- // : [seq d y | y <- [seq f k | k <- enum P & reads x k]] =
             [seq c k | k <- enum P & reads x k].
rewrite -map_comp; apply/eq_in_map=> k; rewrite mem_filter => /andP[xk _] /=.
by rewrite kept // (closedD Dx xk).
Qed.

(** A position that is singled out together with its image keeps its colour, as all others do. *)
Theorem singled_out_keeps_colours v x :
  D v -> D x -> (c x, x == v) = (d (f x), f x == f v).
Proof.
move=> Dv Dx; rewrite kept //; congr (_, _).
by apply/eqP/eqP => [->//|]; apply: (iso_injective iso).
Qed.
End KeptColours.

(** Refinement by the layers of a schedule, one after the other: a whole period that splits nothing
    is the last one that could. *)
Section Periods.
Variables (position : Type) (refine : nat -> rel position -> rel position) (period : nat).
Hypothesis positive : 0 < period.
Hypothesis periodic : forall L, refine (L + period) = refine L.
Hypothesis refine_ext : forall L (A B : rel position), A =2 B -> refine L A =2 refine L B.
Variable alike : nat -> rel position.
Hypothesis next_round : forall L, alike L.+1 =2 refine L (alike L).

(** When no round of a whole period splits a colour, none will. *)
Theorem quiet_period_is_stable L :
  (forall i, i < period -> alike (L + i).+1 =2 alike (L + i)) ->
  forall d, alike (L + d) =2 alike L.
Proof.
move=> quiet d; have [n] := ubnP d; elim: n d => // n IH [|d] lt_dn x y.
  by rewrite addn0.
rewrite ltnS in lt_dn; rewrite addnS.
have [lt_dp|le_pd] := ltnP d period; first by rewrite quiet // IH.
have lt_back : d - period < d by rewrite ltn_subrL positive (leq_trans positive le_pd).
rewrite next_round -{1}(subnK le_pd) addnA periodic.
transitivity (refine (L + (d - period)) (alike (L + (d - period))) x y).
  by apply: refine_ext => {}x {}y; rewrite !IH // (ltn_trans lt_back).
by rewrite -next_round -addnS IH // (leq_ltn_trans lt_back).
Qed.
End Periods.
