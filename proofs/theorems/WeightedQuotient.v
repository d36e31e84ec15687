(** Merging positions with multiplicities computes the same function, for every mask. *)
From Coq Require Import Permutation.
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask DownSet EqualStates.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section WeightedQuotient.
Variables (label : eqType) (P : diagram label) (group : finType).
Variables (merge : P -> group) (group_input : group -> label) (times : group -> group -> nat).

(** The certificate of a weighted quotient: inputs agree, and each member of a group
    reads as many members of each other group as the table says. *)
Definition check_quotient : bool :=
  [forall v, (input v == group_input (merge v)) &&
     [forall s, #|[pred k | reads v k && (merge k == s)]| == times (merge v) s]].

Variables (state : Type) (embed : label -> state).

(** Run rules on the groups, reading each group as often as the table says. *)
Fixpoint group_states (rules : seq (rule state)) : group -> state :=
  if rules is F :: below then fun t => F (group_states below t)
    (flatten [seq nseq (times t s) (group_states below s) | s <- enum group])
  else fun t => embed (group_input t).

(** The groups that a position reads are those of the table, each with its multiplicity. *)
Lemma read_groups v : check_quotient ->
  perm_eq [seq merge k | k <- enum P & reads v k]
          (flatten [seq nseq (times (merge v) s) s | s <- enum group]).
Proof.
move/forallP/(_ v)/andP=> [_ /forallP table]; apply/allP=> s _; apply/eqP.
have count_read: count_mem s [seq merge k | k <- enum P & reads v k] = times (merge v) s.
  rewrite count_map count_filter -(eqP (table s)) cardE -size_filter enumT.
  by congr size; apply: eq_filter => k; rewrite /= andbC.
rewrite count_read count_flatten sumnE !big_map -enumT big_enum (bigD1 s) //=.
rewrite count_nseq /= eqxx mul1n big1 ?addn0 // => t neq_ts.
by rewrite count_nseq /= (negPf neq_ts).
Qed.

(** The weighted quotient is exact at every depth, also for sparse and cyclic masks. *)
Theorem weighted_quotient_exact rules v :
  check_quotient -> (forall F, List.In F rules -> order_blind F) ->
  states embed rules v = group_states rules (merge v).
Proof.
move=> cert; elim: rules v => [|F rules IH] v blind /=.
  by have /andP[/eqP-> _] := forallP cert v.
have {}IH w := IH w (fun G inG => blind G (or_intror inG)).
rewrite IH (eq_map IH).
apply: (blind F (or_introl erefl)).
have := perm_eq_Permutation (group_states rules) (read_groups v cert).
rewrite map_flatten -!map_comp.
have each : map (group_states rules) \o (fun s => nseq (times (merge v) s) s)
         =1 fun s => nseq (times (merge v) s) (group_states rules s).
  by move=> s /=; rewrite map_nseq.
by rewrite (eq_map each).
Qed.
End WeightedQuotient.
