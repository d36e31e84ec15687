(** Relative position terms: equal states when the isomorphism also keeps the offsets. *)
From Coq Require Import Permutation.
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask DownSet EqualStates.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section RelativePosition.
Variables (label : eqType) (offset state : Type).
Implicit Types (P Q : diagram label).

(** A rule may use the offset between the reading and the read position. *)
Definition offset_rule := state -> seq (offset * state) -> state.

(** A rule is blind to the order of its list, but not to the offsets in it. *)
Definition offset_blind (F : offset_rule) :=
  forall own seen seen', Permutation seen seen' -> F own seen = F own seen'.

(** Run a stack of rules; [offset_of q k] is the offset from [q] to [k]. *)
Fixpoint offset_states (embed : label -> state) (rules : seq offset_rule)
    P (offset_of : P -> P -> offset) : P -> state :=
  if rules is F :: below
  then fun q => F (offset_states embed below offset_of q)
    [seq (offset_of q k, offset_states embed below offset_of k) | k <- enum P & reads q k]
  else fun q => embed (input q).

(** An isomorphism that keeps the offsets keeps all states. *)
Theorem offset_isomorphism_keeps_states (embed : label -> state) rules P Q
    (offset_p : P -> P -> offset) (offset_q : Q -> Q -> offset) (D : pred P) (E : pred Q) f :
  (forall F, List.In F rules -> offset_blind F) ->
  (forall x y, D x -> reads x y -> D y) ->
  (forall x y, E x -> reads x y -> E y) ->
  isomorphism D E f ->
  (forall x y, D x -> reads x y -> offset_p x y = offset_q (f x) (f y)) ->
  forall x, D x ->
  offset_states embed rules offset_p x = offset_states embed rules offset_q (f x).
Proof.
move=> blind closedD closedE iso same_offset.
elim: rules blind => [_ x Dx|F below IH blind x Dx] /=; first by rewrite (iso_input iso Dx).
have {}IH := IH (fun G inG => blind G (or_intror inG)).
rewrite (IH x Dx); apply: (blind F (or_introl erefl)).
pose h y := (offset_q (f x) y, offset_states embed below offset_q y).
have ->: [seq (offset_p x k, offset_states embed below offset_p k) | k <- enum P & reads x k]
       = [seq h y | y <- [seq f k | k <- enum P & reads x k]].
  rewrite -map_comp; apply/eq_in_map=> k; rewrite mem_filter => /andP[xk _] /=.
  by rewrite /h (same_offset x k Dx xk) (IH k (closedD _ _ Dx xk)).
apply: (perm_eq_Permutation h).
exact: (isomorphism_read_set closedD closedE iso Dx).
Qed.
End RelativePosition.
