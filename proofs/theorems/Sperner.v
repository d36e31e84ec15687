(** How few helpers give every token a query that sees all others: Sperner's theorem. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Width.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Chains.
Implicit Types (h : nat) (s t : seq bool) (c : seq (seq bool)).

(** How many bits are set. *)
Definition weight s : nat := count id s.

(** One more bit is set. *)
Definition one_more s t : bool := (weight t == (weight s).+1) && all2 implb s t.

(** From a chain on [h] bits the two chains on one bit more: the bit is not set, and set above the
    last; or it is set, without the last. *)
Definition grown c : seq (seq (seq bool)) :=
  if c is x :: rest
  then rcons (map (cons false) c) (true :: last x rest) ::
       (if map (cons true) (belast x rest) is y :: shorter then [:: y :: shorter] else [::])
  else [::].

(** Symmetric chains: all sets of bits, in chains from some weight to what is left of [h]. *)
Fixpoint symmetric_chains h : seq (seq (seq bool)) :=
  if h is h'.+1 then flatten (map grown (symmetric_chains h')) else [:: [:: [::]]].

(** What makes a chain symmetric. *)
Definition symmetric_chain h c : bool :=
  if c is x :: rest
  then [&& all (fun s => size s == h) c, path one_more x rest &
           weight x + weight (last x rest) == h]
  else false.

(** The weight, bit by bit. *)
Lemma weight_cons b s : weight (b :: s) = b + weight s.
Proof. by []. Qed.

(** One more bit is set behind a common one. *)
Lemma one_more_cons b s t : one_more (b :: s) (b :: t) = one_more s t.
Proof. by rewrite /one_more !weight_cons -addnS eqn_add2l; case: b. Qed.

(** One more bit at the front of a chain. *)
Lemma path_cons b x rest : path one_more x rest -> path one_more (b :: x) (map (cons b) rest).
Proof. by elim: rest x => //= y rest IH x /andP[xy /IH ->]; rewrite one_more_cons xy. Qed.

(** Each bit implies itself. *)
Lemma implied_refl s : all2 implb s s.
Proof. by elim: s => //= b s ->; rewrite implybb. Qed.

(** Growth keeps chains symmetric. *)
Lemma grown_symmetric h c : symmetric_chain h c -> all (symmetric_chain h.+1) (grown c).
Proof.
case: c => //= x rest /and3P[/andP[size_x sizes] path_x /eqP ends].
have size_last : size (last x rest) == h.
  have: last x rest \in x :: rest by apply: mem_last.
  by rewrite inE => /orP[/eqP->|/(allP sizes)].
apply/andP; split.
  rewrite all_rcons all_map eqSS size_x [size (true :: _)]/= eqSS size_last rcons_path path_cons //.
  rewrite last_map last_rcons /one_more !weight_cons eqxx [all2 _ _ _]/= implied_refl !add0n.
  rewrite addnCA ends eqxx !andbT; apply: sub_all sizes => s; by rewrite /= eqSS.
case/lastP: rest sizes path_x ends {size_last} => //= rest z.
rewrite all_rcons last_rcons belast_rcons.
case/andP=> size_z sizes; rewrite rcons_path => /andP[path_x /andP[/eqP w _]] ends /=.
rewrite andbT eqSS size_x all_map path_cons // last_map !weight_cons.
rewrite -[true + weight (last x rest)]/(weight (last x rest)).+1 -w -addnA ends eqxx.
by rewrite !andbT /=; apply: sub_all sizes => s; rewrite /= eqSS.
Qed.

(** All of them are symmetric. *)
Lemma chains_symmetric h : all (symmetric_chain h) (symmetric_chains h).
Proof.
elim: h => //= h IH; apply/allP=> c /flattenP[cs /mapP[c' c'_in ->]].
by apply/allP/grown_symmetric/(allP IH).
Qed.

(** Every set of bits is in one of them. *)
Lemma chains_hold h s : size s = h -> s \in flatten (symmetric_chains h).
Proof.
elim: h s => [|h IH] [|b s] //= [/IH/flattenP[c c_in sc]].
have grown_in d : d \in grown c -> b :: s \in d ->
    b :: s \in flatten (flatten (map grown (symmetric_chains h))).
  move=> dc sd; apply/flattenP; exists d => //; apply/flattenP; exists (grown c) => //.
  exact: map_f.
case: c c_in sc grown_in => //= x rest c_in sc grown_in.
case: b grown_in => grown_in; last first.
  apply: grown_in (mem_head _ _) _; rewrite -rcons_cons mem_rcons inE; apply/orP; right.
  exact: (map_f (cons false) sc).
have [eq_s|neq] := eqVneq s (last x rest).
  by apply: grown_in (mem_head _ _) _; rewrite -rcons_cons mem_rcons inE eq_s eqxx.
have s_in : s \in belast x rest.
  move: sc; rewrite lastI mem_rcons inE => /orP[/eqP eq_s|//].
  by rewrite eq_s eqxx in neq.
have := map_f (cons true) s_in.
case eq_m: (map (cons true) (belast x rest)) grown_in => [//|y ys] grown_in y_in.
by apply: (grown_in (y :: ys)); rewrite ?inE ?eqxx ?orbT.
Qed.

(** Growth doubles the number of sets. *)
Lemma chains_size h : size (flatten (symmetric_chains h)) = 2 ^ h.
Proof.
elim: h => //= h IH; rewrite expnS -IH; have := chains_symmetric h.
elim: (symmetric_chains h) => //= c cs IHc /andP[sym_c /IHc eq_cs].
rewrite flatten_cat !size_cat eq_cs mulnDr; congr (_ + _).
case: c sym_c => //= x rest _; rewrite size_cat size_rcons size_map mulnS add2n addSn.
rewrite mul2n -addnn; do 2 congr _.+1; congr (_ + _).
by have := size_belast x rest; rewrite -(size_map (cons true)); case: (map _ _) => [|y ys] /=;
  rewrite ?cats0.
Qed.
End Chains.

Section Sperner.
Variable h : nat.
Implicit Types (A B : {set 'I_h}) (s t : seq bool).

(** The set that a list of bits stands for. *)
Definition set_of s : {set 'I_h} := [set i : 'I_h | nth false s i].

(** The list of bits of a set. *)
Definition list_of A : seq bool := [seq i \in A | i <- enum 'I_h].

(** Lists of bits are sets. *)
Lemma list_ofK : cancel list_of set_of.
Proof.
by move=> A; apply/setP=> i; rewrite inE (nth_map i) ?size_enum_ord // nth_ord_enum.
Qed.

(** A list has as many bits as there are elements to choose from. *)
Lemma size_list_of A : size (list_of A) = h.
Proof. by rewrite size_map size_enum_ord. Qed.

(** The weight is the number of elements. *)
Lemma weight_list_of A : weight (list_of A) = #|A|.
Proof. by rewrite /weight count_map cardE enumT -size_filter. Qed.

(** One more bit means a larger set. *)
Lemma one_more_subset s t : one_more s t -> set_of s \subset set_of t.
Proof.
case/andP=> _ le; apply/subsetP=> i; rewrite !inE.
elim: s t (val i) le => [|b s IH] [|b' t] [|j] //=; first by case/andP=> /implyP.
by case/andP=> _ /IH; apply.
Qed.

(** There are as many symmetric chains as sets of the middle size. *)
Lemma chains_number : size (symmetric_chains h) = 'C(h, h./2).
Proof.
have all_lists : uniq (flatten (symmetric_chains h)) /\
    flatten (symmetric_chains h) =i map list_of (enum {set 'I_h}).
  have uniq_l : uniq (map list_of (enum {set 'I_h})).
    by rewrite (map_inj_uniq (can_inj list_ofK)) enum_uniq.
  have size_l : size (map list_of (enum {set 'I_h})) = 2 ^ h.
    by rewrite size_map -cardE -cardsT -powersetT card_powerset cardsT card_ord.
  have sub : {subset map list_of (enum {set 'I_h}) <= flatten (symmetric_chains h)}.
    by move=> _ /mapP[A _ ->]; apply: chains_hold; apply: size_list_of.
  have le : size (flatten (symmetric_chains h)) <= size (map list_of (enum {set 'I_h})).
    by rewrite chains_size size_l.
  by split; [apply: leq_size_uniq uniq_l sub le|have [_ eq_l] := uniq_min_size uniq_l sub le].
have middle c : symmetric_chain h c -> count (fun s => weight s == h./2) c = 1.
  case: c => //= x rest /and3P[_ path_x /eqP ends].
  have path_w : path (fun s t => weight t == (weight s).+1) x rest.
    by apply: sub_path path_x => s t /andP[].
  have last_w : weight (last x rest) = weight x + size rest.
    elim: rest x path_w {path_x ends} => [|y rest IH] x /=; first by rewrite addn0.
    by case/andP=> /eqP w /IH->; rewrite w addSnnS.
  have le_x : weight x <= h./2 <= weight x + size rest.
    rewrite -last_w -ends -[X in (X + _)./2]add0n.
    have le : weight x <= weight (last x rest) by rewrite last_w leq_addr.
    rewrite add0n; apply/andP; split.
      by rewrite -{1}(doubleK (weight x)) half_leq // -addnn leq_add2l.
    by rewrite -{2}(doubleK (weight (last x rest))) half_leq // -addnn leq_add2r.
  elim: rest x path_w le_x {path_x ends last_w} => [|y rest IH] x /=.
    by move=> _; rewrite addn0 => /anti_leq->; rewrite eqxx.
  case/andP=> /eqP w path_w; rewrite -addSnnS -w => /andP[le_x le_y].
  have [eq_x|neq_x] := eqVneq (weight x) h./2; last first.
    by rewrite add0n; apply: IH => //; rewrite le_y andbT w ltn_neqAle neq_x le_x.
  have path_lt : path (fun s t => weight s < weight t) x (y :: rest).
    by rewrite /= w ltnSn; apply: sub_path path_w => s t /eqP->.
  have trans : transitive (fun s t => weight s < weight t) by move=> s t u; apply: ltn_trans.
  have := order_path_min trans path_lt; rewrite eq_x.
  move=> above; rewrite -[RHS]addn0; congr (_ + _).
  rewrite -[LHS]/(count (fun s => weight s == h./2) (y :: rest)); apply/eqP.
  rewrite -leqn0 leqNgt -has_count; apply/hasPn=> s /(allP above).
  by rewrite neq_ltn orbC => ->.
have number cs : all (symmetric_chain h) cs ->
    count (fun s => weight s == h./2) (flatten cs) = size cs.
  by elim: cs => //= c cs IH /andP[/middle eq_c /IH eq_cs]; rewrite count_cat eq_c eq_cs.
rewrite -(number _ (chains_symmetric h)).
have [uniq_f eq_f] := all_lists.
have perm : perm_eq (flatten (symmetric_chains h)) (map list_of (enum {set 'I_h})).
  by apply: uniq_perm; rewrite // (map_inj_uniq (can_inj list_ofK)) enum_uniq.
rewrite (permP perm) count_map -[X in 'C(X, _)]card_ord -card_draws -sum1_count big_enum_cond.
by rewrite -sum1_card; apply: eq_bigl => A; rewrite /= weight_list_of !inE.
Qed.

(** Sperner's theorem: of sets of which none is inside another there are at most as many as of the
    middle size. *)
Theorem sperner (family : {set {set 'I_h}}) :
  antichain (fun A B => B \subset A) family -> #|family| <= 'C(h, h./2).
Proof.
move=> anti; rewrite -chains_number -(size_map (map set_of)).
apply: (antichain_needs_chains _ anti) => [A B C|{anti}|A _].
- by move=> BA CB; apply: subset_trans CB BA.
- apply/allP=> _ /mapP[c c_in ->]; have := allP (chains_symmetric h) c c_in.
  case: c {c_in} => //= x rest /and3P[_ path_x _]; rewrite /chain /= path_map.
  by apply: sub_path path_x => s t; apply: one_more_subset.
- rewrite -map_flatten -[A]list_ofK; apply/map_f/chains_hold/size_list_of.
Qed.

(** Queries that hold no token themselves and read helpers: if each sees all tokens but its own,
    there are no more tokens than sets of half of the helpers. *)
Theorem queries_need_helpers (token : finType) (atoms : 'I_h -> {set token})
    (reads : token -> {set 'I_h}) :
  (forall x, \bigcup_(t in reads x) atoms t = [set~ x]) -> #|token| <= 'C(h, h./2).
Proof.
move=> full; pose code x : {set 'I_h} := [set t | x \in atoms t].
have inside x y : code x \subset code y -> x = y.
  move/subsetP=> sub; apply/eqP; apply: contraT => neq.
  have: x \in [set~ y] by rewrite !inE.
  rewrite -full => /bigcupP[t t_y x_t]; have := sub t; rewrite !inE => /(_ x_t) y_t.
  have: y \in [set~ y] by rewrite -full; apply/bigcupP; exists t.
  by rewrite !inE eqxx.
have inj : injective code by move=> x y eq_c; apply: inside; rewrite eq_c.
rewrite -(card_imset _ inj); apply: sperner; apply/antichainP.
by move=> _ _ /imsetP[x _ ->] /imsetP[y _ ->] /inside->.
Qed.
End Sperner.
