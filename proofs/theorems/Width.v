(** An antichain and as many chains that hold every node prove each other extreme. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Width.
Variable node : finType.
Variable R : rel node.
Implicit Types (x y z a : node) (A B S : {set node}) (chains : seq (seq node)).

(** Of two nodes of an antichain neither reads the other. *)
Definition antichain A : bool :=
  [forall x in A, forall y in A, R x y ==> (x == y)].

(** A chain is a list in which each node is read by the next one. *)
Definition chain (s : seq node) : bool := sorted (fun x y => R y x) s.

(** A family of chains that holds every node. *)
Definition chain_cover chains : bool :=
  all chain chains && [forall x, x \in flatten chains].

(** The certificate of a width: an antichain, and as many chains that hold every node. *)
Definition check_width A chains : bool :=
  [&& antichain A, chain_cover chains & #|A| == size chains].

(** What an antichain means. *)
Lemma antichainP A :
  reflect (forall x y, x \in A -> y \in A -> R x y -> x = y) (antichain A).
Proof.
apply: (iffP forall_inP) => [anti x y Ax Ay Rxy|anti x Ax].
  by have /forall_inP/(_ y Ay)/implyP/(_ Rxy)/eqP := anti x Ax.
by apply/forall_inP=> y Ay; apply/implyP=> /(anti x y Ax Ay)->.
Qed.

Section Bound.
Hypothesis transR : transitive R.

(** A chain meets an antichain at most once. *)
Lemma chain_meets_antichain A s x y :
  antichain A -> chain s -> x \in A -> y \in A -> x \in s -> y \in s -> x = y.
Proof.
move/antichainP=> anti; elim: s => //= z s IH path_s Ax Ay; rewrite !inE.
have below u : u \in s -> R u z.
  by move/(allP (order_path_min (rev_trans transR) path_s)).
case/orP=> [/eqP eq_x|xs] /orP[/eqP eq_y|ys]; subst => //.
- by apply/esym/anti => //; apply: below.
- by apply: anti => //; apply: below.
- exact: IH (path_sorted path_s) Ax Ay xs ys.
Qed.

(** Chains that hold all nodes of an antichain are at least as many as these. *)
Theorem antichain_needs_chains A chains :
  antichain A -> all chain chains -> {subset A <= flatten chains} -> #|A| <= size chains.
Proof.
move=> anti /allP chain_s holds.
pose place x := find (fun s => x \in s) chains.
have has_place x : x \in A -> has (fun s => x \in s) chains by move/holds/flattenP/hasP.
rewrite cardE -(size_map place) -[X in _ <= X](size_iota 0).
apply: uniq_leq_size => [|i /mapP[x]]; last first.
  by rewrite mem_enum => Ax ->; rewrite mem_iota /= -has_find has_place.
rewrite map_inj_in_uniq ?enum_uniq // => x y; rewrite !mem_enum => Ax Ay same.
have := nth_find [::] (has_place y Ay); rewrite -/(place y) -same => y_in.
apply: (chain_meets_antichain anti _ Ax Ay (nth_find [::] (has_place x Ax)) y_in).
by apply: chain_s; rewrite mem_nth // -has_find has_place.
Qed.

(** An accepted certificate shows that no antichain is larger. *)
Theorem accepted_antichain_is_largest A chains :
  check_width A chains -> forall B, antichain B -> #|B| <= #|A|.
Proof.
case/and3P=> _ /andP[chain_s /forallP holds] /eqP-> B anti.
by apply: antichain_needs_chains.
Qed.

(** An accepted certificate shows that no fewer chains hold every node. *)
Theorem accepted_chains_are_fewest A chains :
  check_width A chains -> forall other, chain_cover other -> size chains <= size other.
Proof.
case/and3P=> anti _ /eqP<- other /andP[chain_s /forallP holds].
by apply: antichain_needs_chains.
Qed.
End Bound.
End Width.
