(** A stack of layers lets through only what its masks let through. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Invariant.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** First for all sets of positions, finite or not, and for masks given by formulas. *)
Section AnySet.
Variables (position state : Type).
Implicit Types (A J Bad : position -> position -> Prop) (q k : position).

(** A layer of any kind, as a map from all states to all states. *)
Definition any_layer := (position -> state) -> position -> state.

(** The new state of [q] depends only on the states that [q] may read. *)
Definition any_obeys (F : any_layer) A :=
  forall h h' q, (forall k, A q k -> h k = h' k) -> F h q = F h' q.

(** Run a stack of layers, each given with its mask; the head is the last layer. *)
Fixpoint any_run (stack : seq (any_layer * (position -> position -> Prop))) input :=
  if stack is (F, _) :: below then F (any_run below input) else input.

(** The output at [q] depends only on the inputs from which a path leads to [q]. *)
Theorem any_non_interference stack :
  (forall F A, List.In (F, A) stack -> any_obeys F A) ->
  forall input input' q,
  (forall k, stack_path (map snd stack) q k -> input k = input' k) ->
  any_run stack input q = any_run stack input' q.
Proof.
move=> obey input input'; elim: stack obey => [|[F A] below IH] obey q agree /=.
  exact: agree (no_layer q).
apply: (obey F A (or_introl erefl)) => m Aqm.
apply: IH => [G B inGB|k path_mk]; first by apply: obey; right.
exact: agree (one_more_layer Aqm path_mk).
Qed.

(** An invariant for all sequence lengths isolates [q] from all positions it must not see,
    for every number of layers and all weights. *)
Theorem invariant_isolates allowed J Bad stack :
  inductive_invariant allowed J Bad ->
  (forall F A, List.In (F, A) stack -> any_obeys F A /\ allowed A) ->
  forall input input' q,
  (forall k, ~ Bad q k -> input k = input' k) ->
  any_run stack input q = any_run stack input' q.
Proof.
move=> inv ok input input' q agree; apply: any_non_interference => [F A|k path_qk].
  by case/ok.
apply: agree; apply: (invariant_sound_any_schedule inv) path_qk => A.
by move/List.in_map_iff=> [[F B] /= [<-]] /ok[].
Qed.
End AnySet.

(** Then for finite sets, where the product of masks can be computed. *)
Section NonInterference.
Variables (position : finType) (state : Type).
Implicit Types (A J Bad : rel position) (q k : position).
Implicit Types (input : position -> state).

(** A layer maps the states of all positions to new states of all positions. *)
Definition layer := (position -> state) -> position -> state.

(** A layer obeys a mask if the new state of [q] depends only on the states that [q] may read.
    Nothing else is assumed: any arithmetic, any weights, any position dependence. *)
Definition obeys (F : layer) A :=
  forall h h' q, (forall k, A q k -> h k = h' k) -> F h q = F h' q.

(** Run a stack of layers; the head of the list is the last layer. *)
Fixpoint run (layers : seq layer) input : position -> state :=
  if layers is F :: below then F (run below input) else input.

(** Layer by layer, each layer obeys its own mask. *)
Fixpoint obey_all (layers : seq layer) (masks : seq (rel position)) : Prop :=
  match layers, masks with
  | F :: layers', A :: masks' => obeys F A /\ obey_all layers' masks'
  | [::], [::] => True
  | _, _ => False
  end.

(** A stack of layers obeys the product of their masks. *)
Theorem stack_obeys_product layers masks :
  obey_all layers masks -> obeys (run layers) (product masks).
Proof.
elim: layers masks => [|F layers IH] [|A masks] //= => [_|[obF obs]] h h' q agree.
  exact: agree (eqxx q).
apply: obF => m Aqm; apply: (IH _ obs) => k Bmk; apply: agree.
exact: compose_path Aqm Bmk.
Qed.

(** Non-interference: after [L] layers with mask [A], the output at [q] is unchanged
    if the inputs agree on the positions that the [L]-th power reaches. *)
Theorem non_interference A layers :
  (forall F, List.In F layers -> obeys F A) ->
  forall input input' q,
  (forall k, power A (size layers) q k -> input k = input' k) ->
  run layers input q = run layers input' q.
Proof.
move=> obey input input' q; rewrite -product_nseq.
apply: (stack_obeys_product (layers := layers)).
elim: layers obey => //= F layers IH obey; split; first by apply: obey; left.
by apply: IH => G inG; apply: obey; right.
Qed.

(** The whole soundness chain: an accepted certificate means that the output at [q],
    at every depth and for all weights, cannot tell two inputs apart that differ only
    at positions which [q] must not see. *)
Theorem accepted_certificate_isolates A J Bad layers :
  check_invariant A J Bad ->
  (forall F, List.In F layers -> obeys F (residual A)) ->
  forall input input' q,
  (forall k, ~~ Bad q k -> input k = input' k) ->
  run layers input q = run layers input' q.
Proof.
move=> cert obey input input' q agree; apply: (non_interference obey) => k.
by move/(check_invariant_sound cert); apply: agree.
Qed.
End NonInterference.

Section Tightness.
Variable position : finType.
Implicit Types (A : rel position) (q k : position).

(** The layer that takes the union of everything it may read. *)
Definition union_layer A : layer position bool := fun h q => [exists k, A q k && h k].

(** The union layer obeys its mask. *)
Lemma union_layer_obeys A : obeys (union_layer A) A.
Proof.
move=> h h' q agree; apply: eq_existsb => k.
by case Aqk: (A q k) => //=; rewrite agree.
Qed.

(** Union layers compute exactly the product of the masks. *)
Lemma run_union_layers masks h :
  run (map union_layer masks) h =1 union_layer (product masks) h.
Proof.
elim: masks h => [|A masks IH] h q /=.
  apply/idP/existsP => [hq|[k /andP[/eqP-> //]]]; exists q.
  by rewrite /identity eqxx.
apply/existsP/existsP => [[m /andP[Aqm]]|[k /andP[/composeP[m [Aqm Bmk]] hk]]].
  rewrite IH => /existsP[k /andP[Bmk hk]]; exists k.
  by rewrite (compose_path Aqm Bmk).
by exists m; rewrite Aqm IH; apply/existsP; exists k; rewrite Bmk.
Qed.

(** The bound is tight: whatever the product lets through, some obedient stack does leak. *)
Theorem product_is_tight masks q k :
  product masks q k ->
  exists layers : seq (layer position bool), obey_all layers masks /\
  exists input input', (forall p, p != k -> input p = input' p) /\
  run layers input q <> run layers input' q.
Proof.
move=> reach; exists (map union_layer masks); split.
  by elim: {reach} masks => //= A masks IH; split=> //; apply: union_layer_obeys.
exists (pred1 k), pred0; split=> [p /negPf|]; first by rewrite /= => ->.
rewrite !run_union_layers.
have ->: union_layer (product masks) (pred1 k) q.
  by apply/existsP; exists k; rewrite reach /= eqxx.
by move/esym/existsP=> [p]; rewrite andbF.
Qed.
End Tightness.
