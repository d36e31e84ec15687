(** Equivalence of classes: compare quotients whose nodes carry the multiset of member inputs. *)
From Coq Require Import Permutation.
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Representative Quotient DownSet EqualStates StableColouring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** One fixed list for each multiset. *)
Definition multiset (T : choiceType) (s : seq T) : seq T := choose (perm_eq s) s.

(** Lists have one multiset exactly if they are rearrangements of each other. *)
Lemma multisetP (T : choiceType) (s t : seq T) :
  reflect (multiset s = multiset t) (perm_eq s t).
Proof.
have perm_multiset (u : seq T) : perm_eq u (multiset u) by apply: chooseP; apply: perm_refl.
apply: (iffP idP) => [st|eq_st].
  have same: perm_eq s =1 perm_eq t by move=> u; rewrite (permPl st).
  by rewrite /multiset (eq_choose same); apply: choose_id; rewrite // -same.
by rewrite (permPl (perm_multiset s)) eq_st perm_sym.
Qed.

Section ClassStates.
Variable label : choiceType.

(** A task whose mask is a preorder on positions. *)
Record task := Task { positions : diagram label; dense : preorder (@reads _ positions) }.

(** The diagram of classes: who reads whom, and the multiset of inputs in each class. *)
Definition class_diagram (T : task) : diagram [eqType of seq label] :=
  @Diagram _ [finType of node (@reads _ (positions T))]
    (@node_reads _ (@reads _ (positions T)))
    (fun n => multiset [seq input k | k <- enum (positions T) & node_of (dense T) k == n]).

Variables (S T : task) (state : Type) (embed : label -> state).
Implicit Types (v : positions S) (w : positions T).
Notation class_s v := (node_of (dense S) v : class_diagram S).
Notation class_t w := (node_of (dense T) w : class_diagram T).

(** In the terms of the paper: positions with equal own inputs in equivalent classes
    have equal states at every depth. *)
Theorem equivalent_classes_agree rules v w :
  (forall F, List.In F rules -> order_blind F) ->
  equivalent (class_s v) (class_t w) -> input v = input w ->
  states embed rules v = states embed rules w.
Proof.
move=> blind /equivalentP[f iso] same_input.
have [im on inj rd inp] := iso.
have [reflS transS] := dense S; have [reflT transT] := dense T.
have below_s x k : reads (class_s x) (class_s k) = reads x k.
  exact: node_reads_well_defined.
have below_t x k : reads (class_t x) (class_t k) = reads x k.
  exact: node_reads_well_defined.
have transC (x y : positions T) (n : class_diagram T) :
    reads x y -> reads (class_t y) n -> reads (class_t x) n.
  by rewrite -below_t; apply: (proj2 (proj1 (quotient_partial_order (dense T)))).
have top: f (class_s v) = class_t w.
  apply: isomorphism_top iso; last exact: quotient_partial_order (dense T).
  by have [[]] := quotient_partial_order (dense S).
pose c k := (f (class_s k), input k); pose d k := (class_t k, input k).
apply: (@stable_colouring_keeps_states _ _ _ _ c d (reads v) (reads w)) => //; first last.
- by rewrite /c /d top same_input.
- move=> x y vx wy [eq_class eq_input]; split=> //.
  apply/allP=> -[n a] _; apply/eqP; rewrite !count_map count_filter [in RHS]count_filter.
  have [xn|not_xn] := boolP (reads (class_t y) n); last first.
    have none_s k : (c k == (n, a)) && reads x k = false.
      apply/andP=> -[/eqP[eq_n _] xk]; case/negP: not_xn.
      by rewrite -eq_class -eq_n -rd ?below_s ?vx //; apply: transS vx xk.
    have none_t k : (d k == (n, a)) && reads y k = false.
      by apply/andP=> -[/eqP[eq_n _] yk]; case/negP: not_xn; rewrite -eq_n below_t.
    apply: (etrans (eq_count none_s _)); apply: (etrans _ (esym (eq_count none_t _))).
    by rewrite !count_pred0.
  have wn: reads (class_t w) n by apply: transC wy xn.
  have [m vm eq_n] := on n wn.
  have xm: reads (class_s x) m by rewrite rd ?below_s // eq_class eq_n.
  have members k : (c k == (n, a)) && reads x k = (input k == a) && (node_of (dense S) k == m).
    rewrite xpair_eqE -andbA andbC -andbA; congr (_ && _).
    apply/andP/eqP => [[xk /eqP eq_f]|eq_m]; last by rewrite -below_s eq_m xm -eq_n.
    by apply: inj; rewrite ?eq_f ?below_s //; apply: transS vx xk.
  have members_t k : (d k == (n, a)) && reads y k = (input k == a) && (node_of (dense T) k == n).
    rewrite xpair_eqE andbAC andbC; congr (_ && _).
    by apply/andP/eqP => [[/eqP]|eq_n']; rewrite // -below_t eq_n' eqxx.
  apply: (etrans (eq_count members _)); apply: (etrans _ (esym (eq_count members_t _))).
  have := inp m vm; rewrite eq_n => /multisetP/permP/(_ (pred1 a)) same.
  rewrite count_map count_filter count_map in same.
  by rewrite count_filter in same.
- by move=> x y; apply: transT.
- by move=> x y; apply: transS.
Qed.
End ClassStates.
