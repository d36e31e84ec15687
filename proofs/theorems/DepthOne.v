(** A transitive mask leaks at depth one or never. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Growth Limit.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section DepthOne.
Variable position : finType.
Variable A : rel position.
Implicit Types (q k m : position) (Bad : rel position).

(** All positive powers of a preorder are equal. *)
Theorem preorder_power : preorder A -> forall L, 0 < L -> power A L =2 A.
Proof.
move=> preA L posL q k; apply/idP/idP; first exact: power_below_preorder.
by apply: mask_in_power => //; case: preA.
Qed.

(** For a transitive mask a leak at any depth is already a leak at depth one. *)
Theorem leak_at_depth_one_or_never Bad :
  preorder A -> (forall q k, A q k -> ~~ Bad q k) ->
  forall L q k, power A L q k -> ~~ Bad q k.
Proof.
move=> preA safe L q k /(power_below_preorder preA (fun _ _ => id)); exact: safe.
Qed.

(** The test a program does: a reflexive mask is transitive exactly if its square is itself. *)
Theorem transitive_iff_square : reflexive A -> transitive A <-> power A 2 =2 A.
Proof.
move=> reflA; split=> [transA|square k q m Aqk Akm]; first exact: preorder_power.
rewrite -square; apply: compose_path Aqk _; exact: compose_path Akm (eqxx m).
Qed.

(** The other test: a reflexive mask is transitive exactly if it equals its limit. *)
Theorem transitive_iff_limit : reflexive A -> transitive A <-> limit A =2 A.
Proof.
move=> reflA; split=> [transA|eqA k q m]; first exact: limit_of_preorder.
by rewrite -!eqA; apply: (proj2 (limit_preorder reflA)).
Qed.

(** For a bare mask: if [M] is transitive, then so is [M] with the residual. *)
Theorem residual_transitive : transitive A -> preorder (residual A).
Proof.
move=> transA; split=> [q|k q m]; first exact: residual_reflexive.
rewrite /residual; case/orP=> [/eqP-> //|Aqk] /orP[/eqP<-|Akm]; rewrite ?Aqk ?orbT //.
by rewrite (transA k) ?orbT.
Qed.
End DepthOne.
