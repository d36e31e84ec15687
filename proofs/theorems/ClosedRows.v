(** Two tests on rows that recognise a closed relation, and the least one that holds a mask. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Growth Limit.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section ClosedRows.
Variable position : finType.
Variables R A : rel position.
Implicit Types (q k m t : position).

(** The row of a position: what it reads. *)
Definition row q : {set position} := [set k | R q k].

(** What a row holds besides the positions that have this row. *)
Definition rest q : {set position} := [set k in row q | row k != row q].

Section Closed.
Variable tops : position -> {set position}.

(** Some positions of the rest of a row, in whose rows all of it is. *)
Hypothesis tops_hold : forall q, rest q \subset \bigcup_(t in tops q) row t.
Hypothesis tops_rest : forall q, tops q \subset rest q.

(** If each row holds its own position and the rows of its tops, the relation is closed. *)
Theorem rows_closed :
  reflexive R -> (forall q t, t \in tops q -> row t \subset row q) -> transitive R.
Proof.
move=> reflR small; suff sub q k : R q k -> row k \subset row q.
  by move=> k q m /sub/subsetP sub_row Rkm; have := sub_row m; rewrite !inE; apply.
have [n] := ubnP #|row q|; elim: n q k => // n IH q k le_n Rqk.
have [->//|neq] := eqVneq (row k) (row q).
have /bigcupP[t top_t] : k \in \bigcup_(t in tops q) row t.
  by apply: subsetP (tops_hold q) _ _; rewrite !inE Rqk.
rewrite inE => Rtk; have sub_t := small q t top_t.
apply: subset_trans (sub_t); apply: IH Rtk.
rewrite ltnS in le_n; apply: leq_trans le_n; apply: proper_card.
have := subsetP (tops_rest q) t top_t; rewrite !inE => /andP[_ neq_t].
by rewrite properEneq neq_t.
Qed.
End Closed.

(** If the positions of each row are connected in the mask, and the rest of the row is in the
    smaller rows of what they read, the relation is no more than the closure of the mask. *)
Theorem rows_generated :
  preorder R -> subrel A R ->
  (forall q k, row q = row k -> connect A q k) ->
  (forall q k, k \in rest q -> exists m p, [/\ row m = row q, A m p, row p != row q & R p k]) ->
  connect A =2 R.
Proof.
move=> [reflR transR] subA joined read q k; apply/idP/idP.
  case/connectP=> p path_p ->; elim: p q path_p => //= m p IH q.
  by case/andP=> /subA Rqm /IH; apply: transR.
have [n] := ubnP #|row q|; elim: n q k => // n IH q k le_n Rqk.
have [/esym/joined//|neq] := eqVneq (row k) (row q).
have [|m [p [eq_m Amp neq_p Rpk]]] := read q k; first by rewrite !inE Rqk.
apply: connect_trans (joined q m (esym eq_m)) _; apply: connect_trans (connect1 Amp) _.
apply: IH Rpk; rewrite ltnS in le_n; apply: leq_trans le_n; apply: proper_card.
rewrite properEneq neq_p -eq_m; apply/subsetP=> x; rewrite !inE; apply: transR; exact: subA.
Qed.

(** In terms of masks: the relation is the limit. *)
Corollary rows_are_limit :
  reflexive A -> preorder R -> subrel A R ->
  (forall q k, row q = row k -> connect A q k) ->
  (forall q k, k \in rest q -> exists m p, [/\ row m = row q, A m p, row p != row q & R p k]) ->
  limit A =2 R.
Proof.
by move=> reflA preR subA joined read q k; rewrite limit_connect // rows_generated.
Qed.
End ClosedRows.
