(** The cover relation (Hasse diagram) is the least generator of a finite partial order. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Growth Limit.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Cover.
Variable node : finType.
Variable R : rel node.
Implicit Types (q k m : node) (G : rel node).

(** The strict part of the order. *)
Definition strict : rel node := fun q k => (q != k) && R q k.

(** [q] covers [k] if it lies above it with nothing in between: strict and not its square. *)
Definition cover : rel node := fun q k => strict q k && ~~ compose strict strict q k.

(** The nodes between two nodes, ends included. *)
Definition interval q k := [set m | R q m && R m k].

Hypothesis orderR : partial_order R.

(** A node strictly in between makes both halves of an interval smaller. *)
Lemma interval_shrinks q m k : strict q m -> strict m k ->
  #|interval q m| < #|interval q k| /\ #|interval m k| < #|interval q k|.
Proof.
case: orderR => [[reflR transR] antiR] /andP[neq_qm Rqm] /andP[neq_mk Rmk].
split; apply: proper_card; apply/properP; split.
- by apply/subsetP=> p; rewrite !inE => /andP[-> /transR->].
- exists k; rewrite !inE ?reflR ?(transR _ _ _ Rqm Rmk) //=.
  by apply: contra neq_mk => Rkm; apply/eqP/antiR; rewrite Rmk.
- by apply/subsetP=> p; rewrite !inE => /andP[Rmp ->]; rewrite (transR m).
- exists q; rewrite !inE ?reflR ?(transR _ _ _ Rqm Rmk) //=.
  by rewrite andbT; apply: contra neq_qm => Rmq; apply/eqP/antiR; rewrite Rqm.
Qed.

(** The covers generate the order. *)
Theorem covers_generate : connect cover =2 R.
Proof.
case: orderR => [[reflR transR] _] q k; apply/idP/idP.
  case/connectP=> p path_p ->; elim: p q path_p => [|m p IH] q //=.
  by case/andP=> /andP[/andP[_ Rqm] _] /IH; apply: transR.
have [n] := ubnP #|interval q k|; elim: n q k => // n IH q k le_n Rqk.
have [->|neq_qk] := eqVneq q k; first exact: connect0.
have strict_qk: strict q k by rewrite /strict neq_qk.
case between: (compose strict strict q k); last first.
  by apply: connect1; rewrite /cover strict_qk between.
have [m [qm mk]] := composeP _ _ _ _ between.
have [small_qm small_mk] := interval_shrinks qm mk.
apply: (connect_trans (IH _ _ (leq_trans small_qm le_n) _)); first by case/andP: qm.
by apply: IH (leq_trans small_mk le_n) _; case/andP: mk.
Qed.

(** Every relation that generates the order contains all covers. *)
Theorem covers_least G : connect G =2 R -> subrel cover G.
Proof.
move=> genG q k /andP[/andP[neq_qk Rqk] no_between].
move: Rqk; rewrite -genG => /connectP[p path_p last_p].
case/shortenP: path_p last_p => -[|m s] /=.
  by move=> _ _ _ eq_kq; rewrite eq_kq eqxx in neq_qk.
case/andP=> Gqm path_s /andP[q_notin _] _ last_s.
have [->//|neq_mk] := eqVneq k m.
case/negP: no_between; apply: (@compose_path _ _ _ _ m); rewrite /strict.
  move: q_notin; rewrite inE negb_or => /andP[-> _].
  by rewrite -genG connect1.
by rewrite eq_sym neq_mk -genG; apply/connectP; exists s.
Qed.

(** So the number of covers is the least number of edges of a generator. *)
Corollary covers_fewest G :
  connect G =2 R -> #|[pred e | cover e.1 e.2]| <= #|[pred e | G e.1 e.2]|.
Proof.
by move/covers_least=> sub; apply/subset_leq_card/subsetP=> e; apply: sub.
Qed.

(** In terms of masks: the Hasse mask with a residual has the order as its limit. *)
Corollary hasse_mask_limit : limit (residual cover) =2 R.
Proof.
move=> q k; rewrite (limit_connect (@residual_reflexive _ _)) -covers_generate.
apply/idP/idP; last first.
  by apply: connect_sub => x y c; apply: connect1; rewrite /residual c orbT.
by apply: connect_sub => x y /orP[/eqP->|c]; [apply: connect0|apply: connect1].
Qed.
End Cover.
