(** What the readers of one scan see is nested, so pairs that are not nested need a scan each. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Width.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Scans.
Variable position : finType.
Implicit Types (q k : position) (V R : rel position) (e : position * position).

(** A scan is a sequence of writes; a reader sees the first so many of them. *)
Definition seen (writes : seq position) (reads : position -> nat) : rel position :=
  fun q k => k \in take (reads q) writes.

(** Of any two readers one sees all that the other sees. *)
Definition nested V : Prop := forall q q', subpred (V q) (V q') \/ subpred (V q') (V q).

(** What readers see of one scan is nested. *)
Theorem scan_is_nested writes reads : nested (seen writes reads).
Proof.
have grows q q' : reads q <= reads q' -> subpred (seen writes reads q) (seen writes reads q').
  by move=> le k; rewrite /seen -(take_take le) => /mem_take.
by move=> q q'; case/orP: (leq_total (reads q) (reads q')) => /grows; [left|right].
Qed.

(** In a sorted list the elements of an up-closed predicate stand first. *)
Lemma sorted_prefix (before : rel position) (a : pred position) s :
  transitive before -> sorted before s -> (forall k k', a k -> ~~ a k' -> ~~ before k' k) ->
  take (count a s) s = filter a s.
Proof.
move=> trans sorted_s first; elim: s sorted_s => //= k s IH path_s.
case ak: (a k); first by rewrite /= IH // (path_sorted path_s).
have none: count a s = 0.
  apply/eqP; rewrite -leqn0 leqNgt -has_count; apply/hasP=> -[k' sk' ak'].
  have := allP (order_path_min trans path_s) k' sk'.
  by apply/negP/first; rewrite ?ak.
by rewrite none take0; apply/esym/size0nil; rewrite size_filter.
Qed.

(** What is nested is one scan: write first what most readers see. *)
Theorem nested_is_one_scan V :
  nested V -> exists writes reads, uniq writes /\ V =2 seen writes reads.
Proof.
move=> nest; pose readers k := #|[set q | V q k]|.
pose before k k' := readers k' <= readers k.
pose writes := sort before (enum position).
exists writes, (fun q => count (V q) writes); split; first by rewrite sort_uniq enum_uniq.
move=> q k; rewrite /seen (sorted_prefix (before := before)).
- by rewrite mem_filter mem_sort mem_enum andbT.
- by move=> x y z /= le le'; apply: leq_trans le' le.
- by apply: sort_sorted => x y; apply: leq_total.
move=> x y Vx notVy; rewrite -ltnNge; apply: proper_card; apply/properP; split.
  apply/subsetP=> r; rewrite !inE => Vry.
  by case: (nest q r) => sub; [apply: sub|rewrite sub in notVy].
by exists q; rewrite !inE.
Qed.

Section Several.
Variables (R : rel position) (number : nat) (V : 'I_number -> rel position).

(** Scans realise a relation if together they show each reader just what it is to read;
    its own state it has already. *)
Record realise : Prop := {
  within : forall i q k, V i q k -> R q k;
  shown : forall q k, R q k -> q != k -> exists i, V i q k }.

Hypothesis scans : forall i, nested (V i).
Hypothesis real : realise.

(** A pair (reader, source) that some scan must show. *)
Definition read_pair e : bool := R e.1 e.2 && (e.1 != e.2).

(** In two pairs that are apart neither reader is reached from the source of the other. *)
Definition apart : rel (position * position) :=
  fun e e' => ~~ R e.1 e'.2 && ~~ R e'.1 e.2.

(** The first scan that shows a pair. *)
Definition scan_of e : nat := if [pick i | V i e.1 e.2] is Some i then val i else 0.

(** Each pair is shown by its scan. *)
Lemma scan_ofP e : read_pair e -> exists2 i : 'I_number, scan_of e = i & V i e.1 e.2.
Proof.
case/andP=> Re neq; rewrite /scan_of; case: pickP => [i Vi|none]; first by exists i.
by have [i] := shown real Re neq; rewrite none.
Qed.

(** Pairs that are apart are shown by different scans. *)
Theorem apart_in_different_scans e e' :
  read_pair e -> read_pair e' -> apart e e' -> scan_of e != scan_of e'.
Proof.
move=> /scan_ofP[i -> Ve] /scan_ofP[j -> Ve'] /andP[no no']; apply/eqP=> /val_inj eq_ij; subst j.
by case: (scans i e.1 e'.1) => sub;
  [move: no'; rewrite (within real (sub _ Ve))|move: no; rewrite (within real (sub _ Ve'))].
Qed.

(** Pairs of which every two are apart need a scan each. *)
Theorem apart_pairs_need_scans s : all read_pair s -> pairwise apart s -> size s <= number.
Proof.
move=> read_s apart_s; rewrite -(size_map scan_of) -[X in _ <= X](size_iota 0).
apply: uniq_leq_size => [|i /mapP[e se ->]]; last first.
  by have [j -> _] := scan_ofP (allP read_s e se); rewrite mem_iota /=.
rewrite uniq_pairwise pairwise_map.
apply: (sub_in_pairwise (P := read_pair)) apart_s => // e e' re re'.
exact: apart_in_different_scans.
Qed.

(** Two colours alternate along a path. *)
Lemma alternating_path (T : Type) (c : T -> bool) x s :
  path (fun y z => c y != c z) x s -> c (last x s) = c x (+) odd (size s).
Proof.
elim: s x => [|y s IH] x /=; first by rewrite addbF.
by case/andP=> neq /IH->; case: (c x) neq; case: (c y); case: (odd _).
Qed.

(** An odd cycle of pairs, each apart from the next, needs three scans. *)
Theorem odd_cycle_needs_three s :
  all read_pair s -> cycle apart s -> odd (size s) -> 2 < number.
Proof.
move=> read_s cycle_s odd_s; rewrite ltnNge; apply/negP=> few.
have: cycle (fun e e' => (scan_of e == 0) != (scan_of e' == 0)) s.
  apply: (sub_in_cycle (P := read_pair)) read_s cycle_s => e e' re re'.
  move/(apart_in_different_scans re re').
  have [i -> _] := scan_ofP re; have [j -> _] := scan_ofP re'.
  have := leq_trans (ltn_ord i) few; have := leq_trans (ltn_ord j) few.
  by case: (val i) => [|[|]] //; case: (val j) => [|[|]].
case: s odd_s {read_s cycle_s} => //= e s odd_s /(@alternating_path _ (fun e => scan_of e == 0)).
by rewrite last_rcons size_rcons /= odd_s addbT; case: (_ == 0).
Qed.
End Several.

(** Where each write must read the one before, as under gates, sources of which none reaches
    another need a scan each. *)
Theorem gated_sources_need_scans R (A : {set position}) (writes : seq (seq position)) :
  transitive R -> antichain R A -> all (chain R) writes -> {subset A <= flatten writes} ->
  #|A| <= size writes.
Proof. by move=> transR; apply: antichain_needs_chains. Qed.

(** One scan suffices for a relation exactly if no two of its pairs are apart. *)
Theorem one_scan_iff_no_two_apart V :
  nested V <-> (forall e e', V e.1 e.2 -> V e'.1 e'.2 -> ~~ apart V e e').
Proof.
split=> [nest e e' Ve Ve'|none q q'].
  by rewrite /apart negb_and !negbK; case: (nest e.1 e'.1) => sub;
    [rewrite (sub _ Ve) orbT|rewrite (sub _ Ve')].
have [/forallP sub|/forallPn[k]] := boolP [forall k, V q k ==> V q' k].
  by left=> k; apply/implyP.
rewrite negb_imply => /andP[Vqk notVq'k]; right=> k' Vq'k'.
have := none (q, k) (q', k') Vqk Vq'k'.
by rewrite /apart /= notVq'k andbT negbK.
Qed.
End Scans.
