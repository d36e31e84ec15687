(** A list of classes with what each covers is the Hasse diagram if rows are joined as it says. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Representative Quotient Cover.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Diagram.
Variable position : finType.
Variable R : rel position.
Hypothesis preR : preorder R.
Let reflR : reflexive R := proj1 preR.
Let transR : transitive R := proj2 preR.
Implicit Types (q k m : position).

(** The class of each position, and which classes a class is said to cover: earlier ones. *)
Variables (place : position -> nat) (below : rel nat).
Hypothesis earlier : forall q k, below (place q) (place k) -> place k < place q.

(** A row is its class and the rows of what the class covers. *)
Hypothesis joined : forall q k,
  R q k = (place q == place k) || [exists m, below (place q) (place m) && R m k].

(** Of the covered classes none reads another. *)
Hypothesis direct : forall q k m,
  below (place q) (place k) -> below (place q) (place m) -> R k m -> place k = place m.

(** What is read is not later. *)
Lemma read_not_later q k : R q k -> place k <= place q.
Proof.
have [n] := ubnP (place q); elim: n q => // n IH q le_n.
rewrite joined => /orP[/eqP->//|/existsP[m /andP[/earlier lt_m Rmk]]].
by apply: leq_trans (IH m _ Rmk) (ltnW lt_m); apply: leq_trans lt_m le_n.
Qed.

(** The classes are those of mutual reading. *)
Theorem places_are_classes q k : (place q == place k) = mutual R q k.
Proof.
apply/idP/andP => [/eqP eq_p|[Rqk Rkq]]; first by rewrite !joined eq_p eqxx.
by rewrite eqn_leq !read_not_later.
Qed.

(** What the classes are said to cover is what they cover. *)
Theorem below_is_cover q k :
  below (place q) (place k) = cover (@node_reads _ R) (node_of preR q) (node_of preR k).
Proof.
have neqE x y : (node_of preR x != node_of preR y) = (place x != place y).
  by rewrite places_are_classes; congr (~~ _); apply/eqP/(node_ofP preR).
rewrite /cover /strict neqE node_reads_well_defined; apply/idP/idP => [b_qk|].
  have Rqk : R q k.
    by rewrite joined; apply/orP; right; apply/existsP; exists k; rewrite b_qk reflR.
  rewrite Rqk andbT neq_ltn (earlier b_qk) orbT /=; apply/negP=> /composeP[c [qc ck]].
  have [m eq_c] := node_of_onto preR c; subst c; move: qc ck.
  rewrite !neqE !node_reads_well_defined => /andP[neq_qm Rqm] /andP[neq_mk Rmk].
  move: Rqm; rewrite joined (negPf neq_qm) => /existsP[p /andP[b_qp Rpm]].
  have eq_pk := direct b_qp b_qk (transR Rpm Rmk).
  have /andP[_ Rkp] : mutual R p k by rewrite -places_are_classes eq_pk.
  case/negP: neq_mk; rewrite places_are_classes /mutual Rmk; exact: transR Rkp Rpm.
case/andP=> /andP[neq_qk Rqk] none; move: Rqk; rewrite joined (negPf neq_qk).
case/existsP=> m /andP[b_qm Rmk].
have [<-//|neq_mk] := eqVneq (place m) (place k).
case/negP: none; apply: (@compose_path _ _ _ _ (node_of preR m)).
  rewrite neqE node_reads_well_defined neq_ltn (earlier b_qm) orbT /= joined.
  by apply/orP; right; apply/existsP; exists m; rewrite b_qm reflR.
by rewrite neqE neq_mk node_reads_well_defined.
Qed.
End Diagram.
