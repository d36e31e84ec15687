(** A common supergraph identifies elements of the tasks and keeps what lies below each. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Cover DownSet Merge.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Identification.
Variables (label : eqType) (P Q : diagram label) (f : P -> Q).
Hypothesis orderP : partial_order (@reads _ P).
Hypothesis super : common_supergraph f.
Implicit Types (d e u v x y : P).

Let reflP : reflexive (@reads _ P) := proj1 (proj1 orderP).
Let transP : transitive (@reads _ P) := proj2 (proj1 orderP).

(** The images of all elements are a down-set. *)
Theorem images_are_closed v (z : Q) : reads (f v) z -> exists2 u, reads v u & f u = z.
Proof. exact: (iso_onto (supergraph_keeps super v)). Qed.

(** Elements with one image have one label. *)
Theorem identified_labels d e : f d = f e -> input d = input e.
Proof.
move=> eq_f; rewrite (iso_input (supergraph_keeps super d) (reflP d)) eq_f.
by rewrite -(iso_input (supergraph_keeps super e) (reflP e)).
Qed.

(** No two elements below one have one image. *)
Theorem identified_apart d x y : reads d x -> reads d y -> f x = f y -> x = y.
Proof. exact: (iso_injective (supergraph_keeps super d)). Qed.

(** If two elements have one image, what is strictly below the one has an image in common with
    something strictly below the other. *)
Theorem identified_below d e u :
  f d = f e -> strict (@reads _ P) d u -> exists2 u', strict (@reads _ P) e u' & f u = f u'.
Proof.
move=> eq_f /andP[neq du].
have : reads (f e) (f u) by rewrite -eq_f; apply: (iso_image (supergraph_keeps super d)).
case/images_are_closed=> u' eu' eq_u; exists u' => //; rewrite /strict eu' andbT.
apply: contra neq => /eqP eq_e; apply/eqP/(identified_apart (reflP d) du).
by rewrite -eq_u -eq_e eq_f.
Qed.

(** One element for each image. *)
Variable chosen : {set P}.
Hypothesis one_each : {in chosen &, injective f}.

(** A supergraph has at least as many vertices as elements are chosen. *)
Theorem identified_vertices : #|chosen| <= #|Q|.
Proof. by rewrite -(card_in_imset one_each) max_card. Qed.

(** Where a pair of elements lies. *)
Definition image_pair (e : P * P) : Q * Q := (f e.1, f e.2).

(** The pairs below chosen elements lie at different places. *)
Lemma image_pair_injective :
  {in [pred e : P * P | (e.1 \in chosen) && reads e.1 e.2] &, injective image_pair}.
Proof.
move=> [v x] [w y]; rewrite !inE /= => /andP[cv vx] /andP[cw wy] [/(one_each cv cw) eq_v].
by subst w => /(identified_apart vx wy)->.
Qed.

(** It has at least as many order pairs as the chosen elements have below them. *)
Theorem identified_pairs :
  #|[pred e : P * P | (e.1 \in chosen) && reads e.1 e.2]| <= #|[pred e : Q * Q | reads e.1 e.2]|.
Proof.
rewrite -(card_in_imset image_pair_injective).
apply/subset_leq_card/subsetP=> _ /imsetP[[v x] in_vx ->].
by move: in_vx; rewrite !inE /= => /andP[_ vx]; apply: (iso_image (supergraph_keeps super v)).
Qed.

(** A cover of elements lies at a cover of vertices. *)
Lemma image_cover v x : cover (@reads _ P) v x -> cover (@reads _ Q) (f v) (f x).
Proof.
case/andP=> /andP[neq vx] none; rewrite /cover /strict (iso_image (supergraph_keeps super v)) //.
rewrite andbT; apply/andP; split.
  by apply: contra neq => /eqP/(identified_apart (reflP v) vx)->.
apply: contra none => /composeP[z [/andP[neq_vz vz] /andP[neq_zx zx]]].
have [u vu eq_z] := images_are_closed vz; subst z.
rewrite -(iso_reads (supergraph_keeps super v) vu vx) in zx.
apply: (@compose_path _ _ _ _ u); rewrite /strict ?vu ?zx andbT.
  by apply: contra neq_vz => /eqP->.
by apply: contra neq_zx => /eqP->.
Qed.

(** It has at least as many covers as the chosen elements have below them. *)
Theorem identified_covers :
  #|[pred e : P * P | (e.1 \in chosen) && cover (@reads _ P) e.1 e.2]|
  <= #|[pred e : Q * Q | cover (@reads _ Q) e.1 e.2]|.
Proof.
have below (p : P * P) :
    (p.1 \in chosen) && cover (@reads _ P) p.1 p.2 -> (p.1 \in chosen) && reads p.1 p.2.
  by case/andP=> -> /andP[/andP[]].
rewrite -(card_in_imset (f := image_pair)); last first.
  by move=> p p' /below ? /below ?; apply: image_pair_injective.
apply/subset_leq_card/subsetP=> _ /imsetP[[v x] in_vx ->].
by move: in_vx; rewrite !inE /= => /andP[_ vx]; apply: image_cover.
Qed.
End Identification.
