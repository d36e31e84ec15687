(** The hypotheses of the theorems can be met, and cannot be dropped. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Antichain DownSet Merge.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** One leaf and one query for each token: the query reads all other leaves. *)
Section Crown.
Variable token : finType.
Notation position := (token + token)%type.

(** A query reads all leaves but its own. *)
Definition crown : rel position := fun q k =>
  match q, k with inr x, inl y => x != y | _, _ => q == k end.

(** A leaf holds its token, a query holds none. *)
Definition crown_own (q : position) : {set token} := if q is inl x then [set x] else set0.

(** The crown is a preorder. *)
Theorem crown_preorder : preorder crown.
Proof.
split=> [[x|x]|[y|y] [x|x] [z|z]] //=; rewrite ?eqxx //.
- by move=> /eqP<-.
- by move=> neq /eqP[<-].
- by move=> /eqP[<-].
- by move=> /eqP[<-].
Qed.

(** Each query has full context, so the antichain theorem speaks about something. *)
Theorem crown_full_context x : context crown crown_own (inr x) = [set~ x].
Proof.
apply/setP=> y; rewrite !inE; apply/bigcupP/idP => [[[z|z]] /= |neq].
- by rewrite inE => neq /eqP->; rewrite eq_sym.
- by rewrite inE.
- by exists (inl y); rewrite /= ?inE // eq_sym.
Qed.
End Crown.

(** The tasks "predict token k + 1 from the first k tokens" merge into the causal chain. *)
Section Autoregressive.
Variable n : nat.

(** Position [j] of task [k], for [j <= k]. *)
Definition prefixes : diagram [eqType of 'I_n] :=
  @Diagram _ [finType of {e : 'I_n * 'I_n | e.2 <= e.1}]
    (fun v u => ((val v).1 == (val u).1) && ((val u).2 <= (val v).2))
    (fun v => (val v).2).

(** The causal mask on [n] positions. *)
Definition causal : diagram [eqType of 'I_n] :=
  @Diagram _ [finType of 'I_n] (fun q k => k <= q) id.

(** The causal mask is a partial order. *)
Lemma causal_order : partial_order (@reads _ causal).
Proof.
split; first split=> [q|k q m] /=; first exact: leqnn.
  by move=> le_kq le_mk; apply: leq_trans le_mk le_kq.
by move=> q k; rewrite /= -eqn_leq => /eqP eq; apply/esym/val_inj.
Qed.

(** All prefix tasks together are a partial order. *)
Lemma prefixes_order : partial_order (@reads _ prefixes).
Proof.
split; first split=> [q|k q m] /=; first by rewrite eqxx leqnn.
  by case/andP=> /eqP-> le_kq /andP[-> le_mk]; apply: leq_trans le_mk le_kq.
move=> q k /andP[/andP[/eqP eq1 le1] /andP[_ le2]]; apply: val_inj.
rewrite [val q]surjective_pairing [val k]surjective_pairing eq1; congr (_, _).
by apply: val_inj; apply/eqP; rewrite eqn_leq le1 le2.
Qed.

(** The causal mask is a common supergraph of all prefix tasks. *)
Theorem causal_supergraph : common_supergraph (fun v : prefixes => (val v).2 : causal).
Proof.
split=> [|v]; first exact: causal_order.
split=> [x|y /= le_y|x y|x y|x] //=.
- by case/andP.
- have le_k: y <= (val v).1 by apply: leq_trans le_y (valP v).
  by exists (exist _ ((val v).1, y) le_k); rewrite //= eqxx.
- move=> /andP[/eqP eq1 _] /andP[/eqP eq2 _] eq; apply: val_inj.
  by rewrite [val x]surjective_pairing [val y]surjective_pairing -eq1 -eq2 eq.
- by move=> /andP[/eqP <- _] /andP[/eqP <- _]; rewrite eqxx.
Qed.

(** The merged task of all prefix tasks is the causal mask, for every length. *)
Theorem prefixes_merge_to_causal :
  isomorphism (P := merged prefixes) (Q := causal) xpredT xpredT
    (standard (fun v : prefixes => (val v).2 : causal)).
Proof.
apply: (optimum_is_merged prefixes_order causal_supergraph).
apply/eqP; rewrite eqn_leq (fewest_vertices causal_supergraph) andbT.
pose last_of (j : 'I_n) : prefixes := exist _ (j, j) (leqnn j).
apply: (@leq_card causal (merged prefixes) (fun j => type_of (last_of j))) => i j.
move/type_ofP/equivalentP=> [f iso].
have [[reflP _] _] := prefixes_order.
have := iso_input iso (reflP (last_of i)).
by rewrite (isomorphism_top reflP prefixes_order iso).
Qed.
End Autoregressive.

(** Two equal leaves below one top: not locally rigid. *)
Section Twins.
(** Two leaves and a top, by their inputs. *)
Definition twins : diagram [eqType of bool] :=
  @Diagram _ [finType of option bool]
    (fun q k => (q == None) || (q == k)) (fun q => q == None).

(** Without local rigidity the merged task is no common supergraph: it loses a vertex. *)
Theorem rigidity_is_needed : ~ common_supergraph (fun v : twins => type_of v : merged twins).
Proof.
case=> _ /(_ None) iso.
have same: equivalent (Some true : twins) (Some false : twins).
  apply/equivalentP; exists (fun q => omap negb q).
  split=> [[[]|]|[[]|]|[[]|] [[]|]|[[]|] [[]|]|[[]|]] //=.
  by exists (Some true).
by have := iso_injective iso (x := Some true) (y := Some false) isT isT (elimT (type_ofP _ _) same).
Qed.
End Twins.
