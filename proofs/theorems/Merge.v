(** The minimal merged task: one vertex per class of equivalent vertices. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Cover Representative DownSet.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Definitions.
Variable label : eqType.
Implicit Types (P Q : diagram label).

(** A common supergraph keeps the down-set of every vertex, with its order and inputs.
    The diagram [P] is the disjoint union of all tasks, so one map stands for all maps [f_T]. *)
Record common_supergraph P Q (f : P -> Q) : Prop := {
  supergraph_order : partial_order (@reads _ Q);
  supergraph_keeps : forall v, isomorphism (reads v) (reads (f v)) f }.

(** Local rigidity: no down-set holds two different equivalent vertices. *)
Definition locally_rigid P :=
  forall v x y : P, reads v x -> reads v y -> equivalent x y -> x = y.
End Definitions.

Section Merge.
Variables (label : eqType) (P : diagram label).
Hypothesis orderP : partial_order (@reads _ P).
Implicit Types (u v w x y : P).

Let reflP : reflexive (@reads _ P) := proj1 (proj1 orderP).
Let transP : transitive (@reads _ P) := proj2 (proj1 orderP).
Let antiP : antisymmetric (@reads _ P) := proj2 orderP.
Let same : rel P := @equivalent _ P P.
Let same_refl : reflexive same := @equivalent_refl _ P.
Let same_sym : symmetric same := @equivalent_sym _ P.
Let same_trans : transitive same := @equivalent_trans _ P.

(** A type is a class of equivalent vertices. *)
Definition node_type := class_of (@equivalent label P P).

(** The type of a vertex. *)
Definition type_of v : node_type :=
  exist _ (representative same v)
          (introT eqP (representative_idem same_refl same_sym same_trans v)).

(** Vertices share a type exactly if they are equivalent. *)
Lemma type_ofP v w : reflect (type_of v = type_of w) (equivalent v w).
Proof.
apply: (iffP (representativeP same_refl same_sym same_trans v w)) => [eq_rep|].
  exact: val_inj.
by move/(congr1 val).
Qed.

(** A type is the type of its representative. *)
Lemma type_of_val (t : node_type) : type_of (val t) = t.
Proof. by apply: val_inj; apply: eqP (valP t). Qed.

(** Type [t] reads type [s] if some vertex of type [t] reads some vertex of type [s]. *)
Definition type_reads : rel node_type := fun t s =>
  [exists v, exists u, [&& type_of v == t, type_of u == s & reads v u]].

(** The merged task. *)
Definition merged : diagram label :=
  Diagram type_reads (fun t : node_type => input (val t)).

(** An equivalent vertex has equivalent vertices upstream. *)
Lemma equivalent_upstream v w u :
  equivalent v w -> reads v u -> exists2 u', reads w u' & equivalent u u'.
Proof.
case/equivalentP=> f iso vu; exists (f u); first exact: (iso_image iso).
by apply/equivalentP; exists f; apply: isomorphism_upstream iso vu.
Qed.

(** "Some" is "every": each vertex of type [t] reads a vertex of type [s]. *)
Theorem type_readsP v s :
  reflect (exists2 u, reads v u & type_of u = s) (type_reads (type_of v) s).
Proof.
apply: (iffP existsP) => [[w /existsP[u /and3P[/eqP/type_ofP wv /eqP <- wu]]]|[u vu <-]].
  by have [u' vu' /type_ofP->] := equivalent_upstream wv wu; exists u'.
by exists v; apply/existsP; exists u; rewrite !eqxx.
Qed.

(** What is strictly upstream has fewer vertices upstream, so it has another type. *)
Lemma reads_same_type v u : reads v u -> equivalent v u -> v = u.
Proof.
move=> vu /equivalent_card eq_card; apply: antiP; rewrite vu /=.
have sub: [set x | reads u x] \subset [set x | reads v x].
  by apply/subsetP=> x; rewrite !inE; apply: transP.
have /eqP/setP/(_ v) : [set x | reads u x] == [set x | reads v x].
  by rewrite eqEcard sub eq_card leqnn.
by rewrite !inE reflP.
Qed.

(** The types with this relation form a partial order. No rigidity is needed here. *)
Theorem types_partial_order : partial_order type_reads.
Proof.
split; first split=> [t|s t r].
- by rewrite -[t]type_of_val; apply/type_readsP; exists (val t).
- rewrite -[t]type_of_val => /type_readsP[u vu <-] /type_readsP[w uw <-].
  by apply/type_readsP; exists w => //; apply: transP vu uw.
move=> t s /andP[]; rewrite -[t]type_of_val => /type_readsP[u vu <-].
case/type_readsP=> w uw /type_ofP wv; apply/type_ofP.
have vw := transP vu uw; rewrite equivalent_sym in wv.
rewrite -(reads_same_type vw wv) in uw.
by rewrite (antiP (x := val t) (y := u)) ?vu.
Qed.

Section Rigid.
Hypothesis rigid : locally_rigid P.

(** Under local rigidity the merged task is a common supergraph. *)
Theorem merged_is_supergraph : common_supergraph (type_of : P -> merged).
Proof.
split=> [|v]; first exact: types_partial_order.
split=> [u vu|s /type_readsP[u vu <-]|x y vx vy /type_ofP|x y vx vy|x vx].
- by apply/type_readsP; exists u.
- by exists u.
- exact: rigid vx vy.
- apply/idP/type_readsP => [xy|[z xz /type_ofP zy]]; first by exists y.
  by rewrite -(rigid (transP vx xz) vy zy).
- have /equivalentP[f iso] := same_representative same_refl x.
  by rewrite (iso_input iso (reflP x)) (isomorphism_top reflP orderP iso).
Qed.

(** If one task has no two equivalent vertices, its map is injective. *)
Theorem rigid_task_embeds (task : pred P) :
  (forall x y, task x -> task y -> equivalent x y -> x = y) ->
  {in task &, injective (type_of : P -> merged)}.
Proof. by move=> rigid_task x y Tx Ty /type_ofP; apply: rigid_task. Qed.
End Rigid.

Section Minimal.
Variables (Q : diagram label) (f : P -> Q).
Hypothesis super : common_supergraph f.

(** A vertex and its image in a supergraph are equivalent. *)
Lemma image_equivalent v : equivalent v (f v).
Proof. by apply/equivalentP; exists f; apply: (supergraph_keeps super). Qed.

(** A supergraph never identifies vertices of different type. *)
Lemma image_type u v : f u = f v -> type_of u = type_of v.
Proof.
move=> eq_f; apply/type_ofP; apply: equivalent_compose (image_equivalent u) _.
by rewrite eq_f; apply: equivalent_flip (image_equivalent v).
Qed.

(** The vertex of the supergraph that stands for a type. *)
Definition standard (t : merged) : Q := f (val t).

(** Different types have different vertices. *)
Lemma standard_injective : injective standard.
Proof. by move=> s t /image_type; rewrite !type_of_val. Qed.

(** Every common supergraph has at least as many vertices as there are types. *)
Theorem fewest_vertices : #|merged| <= #|Q|.
Proof. exact: leq_card standard_injective. Qed.

(** If a vertex stands for as many positions as its input tells,
    then every common supergraph has at least as many positions. *)
Theorem fewest_positions (size_of : label -> nat) :
  \sum_(t : merged) size_of (input t) <= \sum_(y : Q) size_of (input y).
Proof.
have same_inputs (t : merged) : input t = input (standard t).
  exact: (iso_input (supergraph_keeps super (val t))).
rewrite (eq_bigr (fun t => size_of (input (standard t)))) => [|t _]; last by rewrite same_inputs.
have <-: \sum_(y in [set standard t | t in merged]) size_of (input y) =
         \sum_(t : merged) size_of (input (standard t)).
  rewrite big_imset /=; first by apply: eq_bigl => t; rewrite inE.
  by move=> s t _ _; apply: standard_injective.
by rewrite [X in _ <= X](bigID (mem [set standard t | t in merged])) /= leq_addr.
Qed.

(** A vertex below the representative of [t] that has type [s]. *)
Definition witness (t s : node_type) : P :=
  odflt (val t) [pick u | reads (val t) u && (type_of u == s)].

(** Such a vertex exists if the types are related. *)
Lemma witnessP t s : type_reads t s -> reads (val t) (witness t s) /\ type_of (witness t s) = s.
Proof.
rewrite /witness -{1}[t]type_of_val => /type_readsP[u tu eq_s]; case: pickP => [w|] /=.
  by case/andP=> tw /eqP.
by move/(_ u); rewrite tu eq_s eqxx.
Qed.

(** Where a pair of types lies in the supergraph. *)
Definition pair_image (e : merged * merged) : Q * Q := (standard e.1, f (witness e.1 e.2)).

(** Different pairs of types lie at different places. *)
Lemma pair_image_injective :
  {in [pred e | type_reads e.1 e.2] &, injective pair_image}.
Proof.
move=> [t s] [t' s']; rewrite !inE /= => /witnessP[_ type_w] /witnessP[_ type_w'].
case=> /standard_injective eq_t /image_type; rewrite type_w type_w' => ->.
by rewrite eq_t.
Qed.

(** A related pair of types lies at a related pair of vertices. *)
Lemma pair_image_reads (t s : merged) : reads t s -> reads (standard t) (f (witness t s)).
Proof. by case/witnessP=> tw _; apply: (iso_image (supergraph_keeps super (val t))). Qed.

(** Every common supergraph has at least as many order pairs. *)
Theorem fewest_pairs :
  #|[pred e : merged * merged | reads e.1 e.2]| <= #|[pred e : Q * Q | reads e.1 e.2]|.
Proof.
rewrite -(card_in_imset pair_image_injective).
apply/subset_leq_card/subsetP=> _ /imsetP[[t s] ts ->].
by rewrite inE; apply: pair_image_reads.
Qed.

(** A cover of types lies at a cover of vertices. *)
Lemma pair_image_cover (t s : merged) :
  cover (@reads _ merged) t s -> cover (@reads _ Q) (standard t) (f (witness t s)).
Proof.
case/andP=> /andP[neq_ts ts] none; have [tw type_w] := witnessP ts.
have [im on inj rd _] := supergraph_keeps super (val t).
rewrite /cover /strict pair_image_reads // andbT; apply/andP; split.
  by apply: contra neq_ts => /eqP/image_type; rewrite type_of_val type_w => ->.
apply: contra none => /composeP[z [/andP[neq_tz tz] /andP[neq_zw zw]]].
have [u tu eq_z] := on z tz; subst z; rewrite -rd // in zw.
apply: (@compose_path _ _ _ _ (type_of u : merged)); rewrite /strict.
  rewrite -{2}[t]type_of_val; apply/andP; split; last by apply/type_readsP; exists u.
  apply: contra neq_tz => /eqP eq_tu; apply/eqP; congr f.
  by apply: (reads_same_type tu); apply/type_ofP; rewrite type_of_val.
rewrite -type_w; apply/andP; split; last by apply/type_readsP; exists (witness t s).
by apply: contra neq_zw => /eqP/type_ofP/(reads_same_type zw)->.
Qed.

(** Every common supergraph has at least as many edges in its Hasse diagram. *)
Theorem fewest_covers :
  #|[pred e | cover (@reads _ merged) e.1 e.2]| <= #|[pred e | cover (@reads _ Q) e.1 e.2]|.
Proof.
have sub e : cover (@reads _ merged) e.1 e.2 -> type_reads e.1 e.2 by case/andP=> /andP[].
rewrite -(card_in_imset (f := pair_image)); last first.
  by move=> e e' /sub ? /sub ?; apply: pair_image_injective.
apply/subset_leq_card/subsetP=> _ /imsetP[[t s] ts ->].
by rewrite inE; apply: pair_image_cover.
Qed.

(** A supergraph with the fewest vertices is isomorphic to the merged task. *)
Theorem optimum_is_merged :
  #|Q| = #|merged| -> isomorphism (P := merged) (Q := Q) xpredT xpredT standard.
Proof.
move=> same_size.
have [inv _ invK] := inj_card_bij standard_injective (eq_leq same_size).
have f_standard u : f u = standard (type_of u).
  rewrite -[f u]invK; congr standard; rewrite -[inv _]type_of_val.
  by apply: image_type; apply: invK.
split=> // [y _|s t _ _|t s _ _|t _].
- by exists (inv y).
- exact: standard_injective.
- have [im on _ rd _] := supergraph_keeps super (val t).
  apply/idP/idP => [ts|]; first by have [tw <-] := witnessP ts; rewrite -f_standard; apply: im.
  case/on=> u tu eq_u; rewrite -[t]type_of_val; apply/type_readsP; exists u => //.
  by rewrite (image_type eq_u) type_of_val.
- exact: (iso_input (supergraph_keeps super (val t))).
Qed.
End Minimal.
End Merge.
