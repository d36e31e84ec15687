(** Layers with different masks: only the union decides the limit. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Growth Limit.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Schedule.
Variable position : finType.
Implicit Types (A B P R : rel position) (q k m : position) (layers : seq (rel position)).

(** All masks of a stack, as one union. *)
Definition union_of layers : rel position :=
  fun q k => has (fun A : rel position => A q k) layers.

(** Every mask of a stack has the given property. *)
Fixpoint all_masks (property : rel position -> Prop) layers : Prop :=
  if layers is A :: below then property A /\ all_masks property below else True.

(** If all masks of a stack stay below a preorder, then so does their product. *)
Theorem product_below_preorder P layers :
  preorder P -> all_masks (fun A => subrel A P) layers -> subrel (product layers) P.
Proof.
move=> [reflP transP]; elim: layers => [_|A layers IH [subA sub]] q k /=.
  by move/eqP=> ->.
by case/composeP=> m [/subA Pqm /(IH sub)]; apply: transP.
Qed.

(** A product of reflexive masks is reflexive. *)
Lemma product_reflexive layers :
  all_masks (@reflexive _) layers -> reflexive (product layers).
Proof.
elim: layers => [_|A layers IH [reflA refl]] q /=; first exact: eqxx.
exact: compose_path (reflA q) (IH refl q).
Qed.

(** With residuals, each mask of a stack is below the product of the stack. *)
Theorem union_below_product layers :
  all_masks (@reflexive _) layers -> subrel (union_of layers) (product layers).
Proof.
elim: layers => [_|A layers IH [reflA refl]] q k //=.
case/orP=> [Aqk|/(IH refl)]; last exact: compose_path (reflA q).
exact: compose_path Aqk (product_reflexive refl k).
Qed.

(** Each mask of a stack is below the limit of the union. *)
Lemma masks_below_union_limit layers P :
  preorder P -> subrel (union_of layers) P -> all_masks (fun A => subrel A P) layers.
Proof.
move=> preP; elim: layers => //= A layers IH sub; split=> [q k Aqk|].
  by apply: sub; rewrite /union_of /= Aqk.
by apply: IH => q k un; apply: sub; rewrite /union_of /= -/(union_of _ _ _) un orbT.
Qed.

(** The limit of the periodic product is the limit of the union of all masks,
    so the order of the layers matters for the depth but not for the limit. *)
Theorem periodic_limit layers :
  all_masks (@reflexive _) layers ->
  limit (product layers) =2 limit (residual (union_of layers)).
Proof.
move=> refl q k.
have reflP := product_reflexive refl.
have preU := limit_preorder (@residual_reflexive _ (union_of layers)).
have preL := limit_preorder reflP.
apply/idP/idP; apply: limit_least => // x y.
  apply: (product_below_preorder preU); apply: (masks_below_union_limit preU) => {}x {}y un.
  apply: limit_contains; first exact: residual_reflexive.
  by rewrite /residual un orbT.
case/orP=> [/eqP->|/(union_below_product refl)]; first by case: preL.
exact: limit_contains.
Qed.

(** No stack made of the given masks, in any order and number, passes the limit. *)
Theorem any_stack_below_limit layers stack :
  all_masks (fun A => subrel A (union_of layers)) stack ->
  subrel (product stack) (limit (residual (union_of layers))).
Proof.
have reflU := @residual_reflexive _ (union_of layers).
move=> sub; apply: (product_below_preorder (limit_preorder reflU)).
elim: stack sub => //= A stack IH [subA sub]; split=> [q k /subA un|]; last exact: IH.
by apply: limit_contains; rewrite // /residual un orbT.
Qed.
End Schedule.
