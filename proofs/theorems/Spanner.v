(** How many edges a mask on a path needs, if two layers are to carry everything. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Growth Schedule.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Spanner.
Implicit Types (n L c : nat).

(** Each position of a path reads itself and those before it. *)
Definition before_or_at n : rel 'I_n := fun q k => k <= q.

(** The edges of a mask off the diagonal. *)
Definition path_edges n (A : rel 'I_n) : {set 'I_n * 'I_n} := [set e | (e.1 != e.2) && A e.1 e.2].

(** A mask that reads nothing later, and after [L] layers everything before. *)
Definition spans n L (A : rel 'I_n) : Prop :=
  subrel A (@before_or_at n) /\ power (residual A) L =2 @before_or_at n.

(** Every such mask has at least [c] edges. *)
Definition needs L n c : Prop := forall A : rel 'I_n, spans L A -> c <= #|path_edges A|.

(** The same for a schedule, one mask a layer, the last one first. *)
Definition spans_by n (masks : seq (rel 'I_n)) : Prop :=
  all_masks (fun A => subrel A (@before_or_at n)) masks /\
  product (map (@residual _) masks) =2 @before_or_at n.

(** A product of masks that read nothing later reads nothing later. *)
Lemma product_before_or_at n (masks : seq (rel 'I_n)) :
  all_masks (fun A => subrel A (@before_or_at n)) masks ->
  subrel (product (map (@residual _) masks)) (@before_or_at n).
Proof.
rewrite /before_or_at; elim: masks => [_|A masks IH [subA sub]] q k /=; first by move/eqP->.
by case/composeP=> m [/orP[/eqP->|/subA le_mq] /(IH sub) le_km] //; apply: leq_trans le_km le_mq.
Qed.

Section Interval.
Variables (m n : nat) (f : 'I_m -> 'I_n).
Hypothesis keeps_order : forall q k, (f k <= f q) = (k <= q).
Hypothesis no_gap : forall q k (x : 'I_n), f k <= x <= f q -> exists y, x = f y.

(** The part of a mask within the interval. *)
Definition part (A : rel 'I_n) : rel 'I_m := fun q k => A (f q) (f k).

(** Positions of an interval are different positions of the path. *)
Lemma interval_injective : injective f.
Proof. by move=> q k eq_f; apply/val_inj/eqP; rewrite eqn_leq -!keeps_order eq_f leqnn. Qed.

(** The edges within an interval of a path are enough for that interval, layer by layer. *)
Theorem interval_spans_by masks : spans_by masks -> spans_by (map part masks).
Proof.
case=> sub all_read.
have sub' : all_masks (fun A => subrel A (@before_or_at m)) (map part masks).
  elim: masks sub {all_read} => //= A masks IH [subA sub]; split; last exact: IH.
  by move=> q k /= /subA; rewrite /before_or_at keeps_order.
split=> // q k; apply/idP/idP; first exact: (product_before_or_at sub').
have <-: before_or_at (f q) (f k) = before_or_at q k by apply: keeps_order.
rewrite -all_read.
elim: masks sub {all_read sub'} q k => [_|A masks IH [subA sub]] q k /=.
  by move/eqP/interval_injective->; apply: eqxx.
case/composeP=> x [Aqx path_xk].
have le_kx : f k <= x by apply: (product_before_or_at sub path_xk).
have le_xq : x <= f q by case/orP: Aqx => [/eqP->|/subA].
have [y eq_x] := no_gap (introT andP (conj le_kx le_xq)); subst x.
apply: compose_path (IH sub _ _ path_xk).
by rewrite /residual -(inj_eq interval_injective).
Qed.

Variables (L : nat) (A : rel 'I_n).

(** The same for one mask in all layers. *)
Corollary interval_spans : spans L A -> spans L (part A).
Proof.
case=> sub all_read; split; first by move=> q k /= /sub; rewrite /before_or_at keeps_order.
have one k' (B : rel 'I_k') : product (map (@residual _) (nseq L B)) = power (residual B) L.
  by rewrite map_nseq product_nseq.
have [] := @interval_spans_by (nseq L A); last by rewrite map_nseq one.
split; last by rewrite one.
by elim: L {all_read one} => //= L' IH; split.
Qed.

(** So they are as many as the interval needs. *)
Corollary interval_needs c :
  needs L m c -> spans L A ->
  c <= #|[set e in path_edges A | (e.1 \in codom f) && (e.2 \in codom f)]|.
Proof.
move=> need span; apply: leq_trans (need _ (interval_spans span)) _.
have inj := interval_injective.
have inj2 : injective (fun e : 'I_m * 'I_m => (f e.1, f e.2)).
  by move=> [q k] [q' k'] /= [/inj-> /inj->].
rewrite -(card_imset _ inj2); apply/subset_leq_card/subsetP=> _ /imsetP[[q k] edge ->].
move: edge; rewrite !inE /= /part => /andP[neq Aqk].
by rewrite Aqk (inj_eq inj) neq !codom_f.
Qed.
End Interval.

(** Two layers: a path cut in two needs as many edges as both parts, and a crossing edge
    for each position of the smaller one. *)
Theorem two_layer_split h h' c c' :
  needs 2 h c -> needs 2 h' c' -> needs 2 (h + h') (c + c' + minn h h').
Proof.
move=> need need' A span; have [sub all_read] := span.
pose E := path_edges A.
pose low := [set e : 'I_(h + h') * 'I_(h + h') | e.1 < h].
pose high := [set e : 'I_(h + h') * 'I_(h + h') | h <= e.2].
have le_low : c <= #|E :&: low|.
  apply: leq_trans (interval_needs (f := @lshift h h') _ _ need span) _ => //.
    move=> q k x /andP[_ le_xq]; exists (Ordinal (leq_ltn_trans le_xq (ltn_ord q))).
    exact: val_inj.
  apply/subset_leq_card/subsetP=> e; rewrite !inE => /andP[-> /andP[/codomP[q eq_q] _]].
  by rewrite eq_q /=.
have le_high : c' <= #|(E :\: low) :&: high|.
  apply: leq_trans (interval_needs (f := @rshift h h') _ _ need' span) _ => //.
  - by move=> q k; rewrite /= leq_add2l.
  - move=> q k x /andP[le_kx _]; have le_hx : h <= x by apply: leq_trans le_kx; rewrite leq_addr.
    have lt_x : x - h < h' by rewrite ltn_subLR.
    by exists (Ordinal lt_x); apply: val_inj; rewrite /= subnKC.
  apply/subset_leq_card/subsetP=> e; rewrite !inE => /andP[-> /andP[/codomP[q ->] /codomP[k ->]]].
  by rewrite /= -leqNgt leq_addr leq_addr.
have crossing (q k : 'I_(h + h')) : h <= q -> k < h -> A q k -> (q, k) \in (E :\: low) :\: high.
  move=> le_hq lt_kh Aqk; rewrite !inE /= -ltnNge lt_kh -leqNgt le_hq Aqk andbT /=.
  by apply: contraTneq lt_kh => <-; rewrite -leqNgt.
have le_cross : minn h h' <= #|(E :\: low) :\: high|.
  have [/forallP every|] :=
    boolP [forall k : 'I_h, [exists q : 'I_(h + h'), (h <= q) && A q (lshift h' k)]].
    apply: leq_trans (geq_minl _ _) _.
    rewrite -[X in X <= _]card_ord -(card_imset _ (@lshift_inj h h')).
    apply: leq_trans (leq_imset_card snd _); apply/subset_leq_card/subsetP=> _ /imsetP[k _ ->].
    have /existsP[q /andP[le_hq Aqk]] := every k.
    apply/imsetP; exists (q, lshift h' k) => //.
    by apply: crossing => //; apply: (ltn_ord k).
  case/forallPn=> k0 /existsPn none.
  apply: leq_trans (geq_minr _ _) _.
  rewrite -[X in X <= _]card_ord -(card_imset _ (@rshift_inj h h')).
  apply: leq_trans (leq_imset_card fst _); apply/subset_leq_card/subsetP=> _ /imsetP[q _ ->].
  have : power (residual A) 2 (rshift h q) (lshift h' k0).
    rewrite all_read /before_or_at /=; apply: ltnW; apply: leq_trans (ltn_ord k0) (leq_addr _ _).
  case/(@composeP _ (residual A) (power (residual A) 1))=> x [qx]; rewrite power_one => xk.
  have high_to_low (y : 'I_(h + h')) : h <= y -> residual A y (lshift h' k0) = false.
    move=> le_hy; apply/negP=> /orP[/eqP eq_y|Ayk].
      by move: le_hy; rewrite eq_y /= leqNgt ltn_ord.
    by have := none y; rewrite le_hy Ayk.
  have lt_xh : x < h by rewrite ltnNge; apply/negP=> /high_to_low; rewrite xk.
  case/orP: qx => [/eqP eq_x|Aqx]; first by move: lt_xh; rewrite -eq_x /= ltnNge leq_addr.
  by apply/imsetP; exists (rshift h q, x) => //; apply: crossing; rewrite //= leq_addr.
rewrite -/E -(cardsID low E) -(cardsID high (E :\: low)) -addnA.
by apply: leq_add => //; rewrite setIC in le_high *; apply: leq_add; rewrite // setIC.
Qed.

(** So two layers need about [n log n / 2] edges: [d * 2 ^ d / 2] on [2 ^ d] positions. *)
Corollary two_layers_need_log d : needs 2 (2 ^ d) ((d * 2 ^ d)./2).
Proof.
elim: d => [|d IH]; first by move=> A _; rewrite mul0n.
have -> : (d.+1 * 2 ^ d.+1)./2 = (d * 2 ^ d)./2 + (d * 2 ^ d)./2 + minn (2 ^ d) (2 ^ d).
  rewrite minnn expnS mulnCA mul2n doubleK mulSn addnC; congr (_ + _).
  case: d {IH} => // d; by rewrite expnS mulnCA mul2n doubleK addnn.
by rewrite expnS mul2n -addnn; apply: two_layer_split.
Qed.
(** What is reached after one layer more was reached before, or is read, or comes through a position
    between: the clauses of a formula whose model is a mask, or a schedule of masks. *)
Theorem reached_by_ways (T : finType) (R A B : rel T) q k :
  subrel A R -> subrel B R -> compose (residual A) B q k -> q != k ->
  [\/ B q k, A q k | exists m, [/\ m != q, m != k, R q m && R m k, A q m & B m k]].
Proof.
move=> subA subB /composeP[m [/orP[/eqP<-|Aqm] Bmk]] neq; first by constructor 1.
have [<-|neq_mq] := eqVneq m q; first by constructor 1.
have [eq_mk|neq_mk] := eqVneq m k; first by constructor 2; rewrite -eq_mk.
by constructor 3; exists m; rewrite neq_mq neq_mk subA ?subB.
Qed.

(** Where one mask is used again and again, what is read was reached before. *)
Corollary read_was_reached (T : finType) (A : rel T) L :
  0 < L -> subrel A (power (residual A) L).
Proof.
move=> posL q k Aqk; apply: (mask_in_power (@residual_reflexive _ A) posL).
by rewrite /residual Aqk orbT.
Qed.
End Spanner.
