(** Rows made of a prefix of their document and an interval around their position multiply in
    closed form. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Windows.
Variables (n : nat) (floor : nat -> nat).
Implicit Types (q k m : nat).

(** Where the prefix and the interval of each row end. *)
Record ends := Ends { prefix : nat -> nat; first : nat -> nat; last : nat -> nat }.
Implicit Types (e up low : ends).

(** Row [q] holds [floor q .. prefix q - 1] and [first q .. last q - 1]. *)
Definition in_row e q k : bool := (floor q <= k < prefix e q) || (first e q <= k < last e q).

(** The relation on [n] positions. *)
Definition rows e : rel 'I_n := fun x y => in_row e x y.

(** A function that never decreases on the positions. *)
Definition rising (f : nat -> nat) : Prop := forall q k, q <= k -> k < n -> f q <= f k.

(** What the ends must obey. *)
Record good e : Prop := {
  prefix_rises : rising (prefix e);
  first_rises : rising (first e);
  last_rises : rising (last e);
  around : forall q, q < n -> floor q <= first e q <= q /\ q < last e q <= n;
  prefix_inside : forall q, q < n -> floor q <= prefix e q <= last e q;
  no_crossing : forall q k, q < n -> floor q <= k < last e q -> floor k = floor q }.

(** The value one place before, and 0 before the first. *)
Definition before (f : nat -> nat) (x : nat) : nat := if x is y.+1 then f y else 0.

(** The ends of a product: first the lower layer runs. *)
Definition after up low : ends := {|
  prefix := fun q => maxn (before (prefix low) (last up q)) (before (last low) (prefix up q));
  first := fun q => first low (first up q);
  last := fun q => before (last low) (last up q) |}.

Section Product.
Variables (up low : ends).
Hypotheses (good_up : good up) (good_low : good low).

(** A floor is its own floor. *)
Lemma floor_floor q : q < n -> floor (floor q) = floor q.
Proof.
move=> lt_q; apply: (no_crossing good_up lt_q).
have [/andP[le1 le2] /andP[lt _]] := around good_up lt_q.
by rewrite leqnn (leq_ltn_trans (leq_trans le1 le2) lt).
Qed.

(** Before its floor a document has not begun. *)
Lemma last_before_floor q : q < n -> before (last low) (floor q) <= floor q.
Proof.
move=> lt_q; case eq_f: (floor q) => [//|p] /=; rewrite leqNgt; apply/negP=> lt_p.
have lt_pn : p < n.
  have [/andP[le1 le2] _] := around good_up lt_q; have := leq_trans le1 le2.
  by rewrite eq_f => lt_pq; apply: ltn_trans lt_q.
have le_p : floor p <= p.+1.
  by have [/andP[le1 le2] _] := around good_low lt_pn; apply: leqW (leq_trans le1 le2).
have same : floor p.+1 = floor p.
  by apply: (no_crossing good_low lt_pn); rewrite le_p lt_p.
have [/andP[le1 le2] _] := around good_low lt_pn.
have := floor_floor lt_q; rewrite eq_f same => eq_p.
by move: (leq_trans le1 le2); rewrite eq_p ltnn.
Qed.

(** The product of the rows is held by the ends of the product. *)
Theorem rows_after : rows (after up low) =2 compose (rows up) (rows low).
Proof.
move=> q k; have lt_q := ltn_ord q; have lt_k := ltn_ord k.
have [/andP[fl_f f_q] /andP[q_l l_n]] := around good_up lt_q.
have /andP[fl_p p_l] := prefix_inside good_up lt_q.
have fl_q := leq_trans fl_f f_q.
rewrite /rows /in_row /=; set f := first up q in fl_f f_q *; set l := last up q in q_l l_n p_l *.
set p := prefix up q in fl_p p_l *.
case eq_l: l q_l l_n p_l => [//|l'] q_l l_n p_l /=; rewrite ltnS in q_l.
have same_floor m : floor q <= m -> m <= l' -> floor m = floor q.
  by move=> le1 le2; apply: (no_crossing good_up lt_q); rewrite le1 -/l eq_l ltnS.
have in_up m : m < n -> (floor q <= m < p) || (f <= m <= l') ->
    (in_row low m k -> compose (rows up) (rows low) q k).
  move=> lt_m up_m low_m; apply/composeP; exists (Ordinal lt_m); split=> //.
  by rewrite /rows /in_row /= -/p -/f -/l eq_l ltnS.
apply/idP/idP => [|/composeP[m []]].
  case/orP=> [/andP[fl_k]|/andP[first_k last_k]]; first rewrite leq_max => /orP[lt_kp|].
  - (* in the prefix of the last position of the interval *)
    apply: (in_up l') => //; first by rewrite (leq_trans f_q q_l) leqnn orbT.
    by apply/orP; left; rewrite (same_floor l' (leq_trans fl_q q_l) (leqnn _)) fl_k lt_kp.
  - (* below the last position of the prefix *)
    case eq_p: p p_l fl_p => [|p'] p_l fl_p //= lt_k'.
    have lt_p : p' < n by apply: leq_trans l_n.
    have [fl_p'|lt_fl] := leqP (floor q) p'; last first.
      have eq_fl: floor q = p'.+1 by apply/eqP; rewrite eqn_leq fl_p.
      by have := last_before_floor lt_q; rewrite eq_fl /= leqNgt (leq_ltn_trans _ lt_k') // -eq_fl.
    have [le_kp|lt_pk] := leqP k p'.
      apply: (in_up k) => //; first by rewrite fl_k eq_p ltnS le_kp.
      by have [/andP[_ le1] /andP[lt1 _]] := around good_low lt_k; rewrite /in_row le1 lt1 orbT.
    apply: (in_up p') => //; first by rewrite fl_p' eq_p ltnSn.
    have [/andP[_ le1] _] := around good_low lt_p.
    by rewrite /in_row lt_k' (leq_trans le1 (ltnW lt_pk)) orbT.
  - (* in the interval *)
    have lt_f : f < n by apply: leq_ltn_trans f_q lt_q.
    have [lt_kf|le_fk] := ltnP k f.
      apply: (in_up f) => //; first by rewrite leqnn (leq_trans f_q q_l) orbT.
      have [_ /andP[lt1 _]] := around good_low lt_f.
      by rewrite /in_row first_k (ltn_trans lt_kf lt1) orbT.
    have [le_kl|lt_lk] := leqP k l'.
      apply: (in_up k) => //; first by rewrite le_fk le_kl orbT.
      by have [/andP[_ le1] /andP[lt1 _]] := around good_low lt_k; rewrite /in_row le1 lt1 orbT.
    apply: (in_up l') => //; first by rewrite (leq_trans f_q q_l) leqnn orbT.
    have [/andP[_ le1] _] := around good_low l_n.
    by rewrite /in_row last_k (leq_trans le1 (ltnW lt_lk)) orbT.
rewrite /rows /in_row -/p -/f -/l eq_l ltnS => up_m low_m.
have lt_m := ltn_ord m.
have [fl_m m_l] : floor q <= m /\ m <= l'.
  case/orP: up_m => /andP[le1 le2]; split=> //; last exact: leq_trans fl_f le1.
  by rewrite -ltnS; apply: leq_trans le2 p_l.
have fl_eq := same_floor m fl_m m_l.
have [/andP[fl_first first_m] /andP[m_last _]] := around good_low lt_m.
case/orP: low_m => [/andP[fl_k lt_kp]|/andP[first_k k_last]].
  rewrite -fl_eq fl_k leq_max.
  by rewrite (leq_trans lt_kp (prefix_rises good_low m_l l_n)).
case/orP: up_m => [/andP[_ lt_mp]|/andP[le_fm _]].
  rewrite -{1}fl_eq (leq_trans fl_first first_k) leq_max.
  case eq_p: p lt_mp p_l => [//|p'] lt_mp p_l /=.
  have lt_p' : p' < n by apply: leq_trans l_n.
  by rewrite (leq_trans k_last (last_rises good_low _ lt_p')) ?orbT.
rewrite (leq_trans (first_rises good_low le_fm lt_m) first_k).
by rewrite (leq_trans k_last (last_rises good_low m_l l_n)) orbT.
Qed.

(** The ends of a product obey the same. *)
Theorem good_after : good (after up low).
Proof.
have lt_last q : q < n -> 0 < last up q.
  by move=> lt_q; have [_ /andP[lt _]] := around good_up lt_q; apply: leq_ltn_trans lt.
have before_rises (g h : nat -> nat) : rising g -> rising h -> (forall q, q < n -> h q <= n) ->
    rising (fun q => before g (h q)).
  move=> rise_g rise_h small q k le_qk lt_k; have := rise_h q k le_qk lt_k.
  case: (h q) (small k lt_k) => [//|x]; case: (h k) => [//|y] lt_y le_xy /=.
  exact: rise_g.
have last_n q : q < n -> last up q <= n by move=> lt_q; have [_ /andP[]] := around good_up lt_q.
have prefix_n q : q < n -> prefix up q <= n.
  move=> lt_q; have /andP[_ le] := prefix_inside good_up lt_q.
  exact: leq_trans le (last_n q lt_q).
have last_after := before_rises _ _ (last_rises good_low) (last_rises good_up) last_n.
have inside q : q < n -> floor q <= first up q /\ first up q <= q /\
    q <= (last up q).-1 /\ (last up q).-1 < n.
  move=> lt_q; have [/andP[le1 le2] /andP[lt le]] := around good_up lt_q.
  do ![split=> //]; first by rewrite -ltnS (ltn_predK lt).
  by rewrite (ltn_predK lt).
have beforeE (g : nat -> nat) q : q < n -> before g (last up q) = g (last up q).-1.
  by move=> lt_q; case: (last up q) (lt_last q lt_q).
have same_floor q m : q < n -> floor q <= m -> m <= (last up q).-1 -> floor m = floor q.
  move=> lt_q le1 le2; apply: (no_crossing good_up lt_q); rewrite le1.
  by rewrite -ltnS (ltn_predK (lt_last q lt_q)) in le2.
split=> /=.
- move=> q k le_qk lt_k; rewrite geq_max !leq_max.
  rewrite (before_rises _ _ (prefix_rises good_low) (last_rises good_up) last_n) //=.
  by rewrite (before_rises _ _ (last_rises good_low) (prefix_rises good_up) prefix_n) ?orbT.
- move=> q k le_qk lt_k; apply: (first_rises good_low); first exact: (first_rises good_up).
  by have [_ [le _]] := inside k lt_k; apply: leq_ltn_trans le lt_k.
- exact: last_after.
- move=> q lt_q; have [fl_f [f_q [q_l l_n]]] := inside q lt_q.
  have [/andP[le1 le2] _] := around good_low (leq_ltn_trans f_q lt_q).
  have [_ /andP[lt le]] := around good_low l_n.
  have eq_fl := same_floor q _ lt_q fl_f (leq_trans f_q q_l).
  by rewrite -eq_fl le1 (leq_trans le2 f_q) beforeE // (leq_ltn_trans q_l lt) le.
- move=> q lt_q; have [fl_f [f_q [q_l l_n]]] := inside q lt_q.
  have /andP[le1 le2] := prefix_inside good_low l_n.
  have /andP[fl_p p_l] := prefix_inside good_up lt_q.
  have eq_fl := same_floor q _ lt_q (leq_trans (leq_trans fl_f f_q) q_l) (leqnn _).
  rewrite leq_max geq_max !beforeE // -eq_fl le1 le2 /=.
  case: (prefix up q) p_l => [//|p] p_l /=; apply: (last_rises good_low) => //.
  by rewrite -ltnS (ltn_predK (lt_last q lt_q)).
- move=> q k lt_q; have [fl_f [f_q [q_l l_n]]] := inside q lt_q.
  have fl_l := leq_trans (leq_trans fl_f f_q) q_l.
  rewrite beforeE // => /andP[fl_k lt_k]; have eq_fl := same_floor q _ lt_q fl_l (leqnn _).
  by rewrite -eq_fl; apply: (no_crossing good_low l_n); rewrite eq_fl fl_k.
Qed.
End Product.
End Windows.
