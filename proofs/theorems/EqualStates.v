(** Isomorphic down-sets give equal states at every depth. *)
From Coq Require Import Permutation.
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Limit DownSet.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** An isomorphism maps what [x] reads onto what its image reads, each position once. *)
Lemma isomorphism_read_set (label : eqType) (P Q : diagram label) (D : pred P) (E : pred Q) f :
  (forall x y, D x -> reads x y -> D y) ->
  (forall x y, E x -> reads x y -> E y) ->
  isomorphism D E f -> forall x, D x ->
  perm_eq [seq f k | k <- enum P & reads x k] [seq y <- enum Q | reads (f x) y].
Proof.
move=> closedD closedE [im on inj rd _] x Dx.
apply: uniq_perm; try exact: (filter_uniq _ (enum_uniq _)).
  rewrite map_inj_in_uniq; first exact: (filter_uniq _ (enum_uniq _)).
  move=> y z; rewrite !mem_filter => /andP[xy _] /andP[xz _].
  by apply: inj; apply: closedD Dx _.
move=> y; rewrite mem_filter mem_enum andbT; apply/mapP/idP => [[k]|fxy].
  by rewrite mem_filter => /andP[xk _ ->]; rewrite -rd // (closedD _ _ Dx xk).
have [k Dk eq_y] := on y (closedE _ _ (im x Dx) fxy).
by exists k => //; rewrite mem_filter mem_enum andbT rd // eq_y.
Qed.

Section Layers.
Variables (label : eqType) (state : Type).
Implicit Types (P Q : diagram label).

(** A layer computes the new state from the own state and the family of states read. *)
Definition rule := state -> seq state -> state.

(** A rule is blind to the order in which it reads, as attention without position bias. *)
Definition order_blind (F : rule) :=
  forall own seen seen', Permutation seen seen' -> F own seen = F own seen'.

(** Run a stack of rules on a diagram; the head of the list is the last layer. *)
Fixpoint states (embed : label -> state) (rules : seq rule) P : P -> state :=
  if rules is F :: below
  then fun q => F (states embed below q) [seq states embed below k | k <- enum P & reads q k]
  else fun q => embed (input q).
Arguments states embed rules {P}.

(** Rearranged positions have rearranged states. *)
Lemma perm_eq_Permutation (T : eqType) (h : T -> state) (s t : seq T) :
  perm_eq s t -> Permutation (map h s) (map h t).
Proof.
elim: s t => [|x s IH] t; first by rewrite perm_sym => /perm_nilP->; constructor.
move=> eq_st; have xt: x \in t by rewrite -(perm_mem eq_st) mem_head.
case/splitPr: xt eq_st => t1 t2.
rewrite perm_sym perm_catC /= perm_cons perm_catC perm_sym => /IH.
by rewrite !map_cat /= => eq_st; apply: Permutation_cons_app.
Qed.

Variables (embed : label -> state) (rules : seq rule).
Hypothesis blind : forall F, List.In F rules -> order_blind F.

(** An isomorphism between parts that read nothing outside keeps all states.
    No order is needed: this is also right for sparse masks and for cycles. *)
Theorem isomorphism_keeps_states P Q (D : pred P) (E : pred Q) f :
  (forall x y, D x -> reads x y -> D y) ->
  (forall x y, E x -> reads x y -> E y) ->
  isomorphism D E f ->
  forall x, D x -> states embed rules x = states embed rules (f x).
Proof.
move=> closedD closedE iso.
elim: rules blind => [_ x Dx|F below IH blind_all x Dx] /=.
  by rewrite (iso_input iso Dx).
have {}IH := IH (fun G inG => blind_all G (or_intror inG)).
rewrite (IH x Dx); apply: (blind_all F (or_introl erefl)).
have ->: [seq states embed below k | k <- enum P & reads x k]
       = [seq states embed below y | y <- [seq f k | k <- enum P & reads x k]].
  rewrite -map_comp; apply/eq_in_map=> k; rewrite mem_filter => /andP[xk _] /=.
  exact: IH (closedD _ _ Dx xk).
apply: perm_eq_Permutation.
exact: (isomorphism_read_set closedD closedE iso Dx).
Qed.

(** For transitive masks: isomorphic down-sets have equal states at every depth. *)
Corollary isomorphic_down_sets P Q (v : P) (w : Q) f :
  transitive (@reads _ P) -> transitive (@reads _ Q) ->
  isomorphism (reads v) (reads w) f ->
  forall x, reads v x -> states embed rules x = states embed rules (f x).
Proof.
move=> transP transQ; apply: isomorphism_keeps_states => x y; [exact: transP|exact: transQ].
Qed.

(** For all masks: compare the masks on everything reachable instead of a closed mask. *)
Corollary isomorphic_reachable_sets P Q (v : P) (w : Q) f :
  isomorphism (connect (@reads _ P) v) (connect (@reads _ Q) w) f ->
  forall x, connect (@reads _ P) v x -> states embed rules x = states embed rules (f x).
Proof.
by apply: isomorphism_keeps_states => x y vx xy; apply: connect_trans vx (connect1 xy).
Qed.

(** Two positions that read the same and hold the same input have the same state. *)
Lemma class_mates_agree P (v w : P) :
  reads v =1 reads w -> input v = input w ->
  states embed rules v = states embed rules w.
Proof.
move=> same_reads same_input; elim: rules => [|F below IH] /=; first by rewrite same_input.
by rewrite IH (eq_filter same_reads).
Qed.

(** For equivalent vertices: with preorder masks and equal own inputs, the states are equal. *)
Theorem equivalent_vertices_agree P Q (v : P) (w : Q) :
  preorder (@reads _ P) -> preorder (@reads _ Q) ->
  equivalent v w -> input v = input w ->
  states embed rules v = states embed rules w.
Proof.
move=> [reflP transP] [reflQ transQ] /equivalentP[f iso] same_input.
rewrite (isomorphic_down_sets transP transQ iso (reflP v)).
have [im on _ rd inp] := iso; apply: class_mates_agree; last by rewrite -inp.
have [u vu fu] := on w (reflQ w).
have wfv: reads w (f v) by apply: im.
have fvw: reads (f v) w by rewrite -fu -rd.
by move=> k; apply/idP/idP; apply: transQ.
Qed.
End Layers.
Arguments states {label state} embed rules {P}.
