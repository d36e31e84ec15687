(** The checks of the theorems as programs on lists of bits, which Coq can run. *)
From Coq Require Import BinNat.
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Limit Cover Invariant HopMatrix DownSet Width.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** The entry of a table of bits. *)
Definition entry (rows : seq (seq bool)) (q k : nat) : bool := nth false (nth [::] rows q) k.

(** The relation on [n] positions that a table holds. *)
Definition held n (rows : seq (seq bool)) : rel 'I_n := fun q k => entry rows q k.

Section Lists.
Variable n : nat.
Implicit Types (A B M J R : seq (seq bool)) (f : nat -> nat -> bool).

(** The table of a relation. *)
Definition table f : seq (seq bool) := mkseq (fun q => mkseq (f q) n) n.

(** A table holds what it was made of. *)
Lemma table_entry f (q k : 'I_n) : entry (table f) q k = f q k.
Proof. by rewrite /entry /table !nth_mkseq. Qed.

(** Some position, by enumeration. *)
Lemma has_iota (p : pred nat) : has p (iota 0 n) = [exists m : 'I_n, p m].
Proof.
apply/hasP/existsP => [[m]|[m pm]]; last by exists (val m); rewrite // mem_iota /=.
by rewrite mem_iota => /= lt_m pm; exists (Ordinal lt_m).
Qed.

(** Every position, by enumeration. *)
Lemma all_iota (p : pred nat) : all p (iota 0 n) = [forall m : 'I_n, p m].
Proof.
apply/allP/forallP => [every m|every m]; first by apply: every; rewrite mem_iota /=.
by rewrite mem_iota => /= lt_m; apply: (every (Ordinal lt_m)).
Qed.

(** The mask with the diagonal. *)
Definition list_residual M := table (fun q k => (q == k) || entry M q k).

(** The Boolean product. *)
Definition list_compose A B :=
  table (fun q k => has (fun m => entry A q m && entry B m k) (iota 0 n)).

(** The Boolean power. *)
Fixpoint list_power A (L : nat) :=
  if L is L'.+1 then list_compose A (list_power A L') else table (fun q k => q == k).

(** The limit. *)
Definition list_limit M := list_power (list_residual M) n.-1.

(** The product of tables is the product. *)
Lemma list_composeE A B : held (list_compose A B) =2 compose (@held n A) (@held n B).
Proof. by move=> q k; rewrite /held table_entry has_iota. Qed.

(** The power of a table is the power. *)
Theorem list_power_is_power M L :
  held (list_power (list_residual M) L) =2 power (residual (@held n M)) L.
Proof.
elim: L => [|L IH] q k /=; first by rewrite /held table_entry.
rewrite list_composeE; apply: compose_ext => // x y.
by rewrite /held table_entry.
Qed.

(** The limit of a table is the limit. *)
Theorem list_limit_is_limit M : held (list_limit M) =2 limit (residual (@held n M)).
Proof. by move=> q k; rewrite list_power_is_power /limit card_ord. Qed.

(** The strict part. *)
Definition list_strict R := table (fun q k => (q != k) && entry R q k).

(** The covers. *)
Definition list_cover R :=
  table (fun q k => entry (list_strict R) q k &&
                    ~~ entry (list_compose (list_strict R) (list_strict R)) q k).

(** The covers of a table are the covers. *)
Theorem list_cover_is_cover R : held (list_cover R) =2 cover (@held n R).
Proof.
move=> q k; rewrite /held table_entry table_entry; congr (_ && ~~ _).
rewrite -[LHS]/(held _ q k) list_composeE; apply: compose_ext => x y; by rewrite /held table_entry.
Qed.

(** The test of an invariant. *)
Definition list_check_invariant A J bad : bool :=
  [&& all (fun q => entry J q q) (iota 0 n),
      all (fun q => all (fun k => entry (list_compose A J) q k ==> entry J q k) (iota 0 n))
        (iota 0 n) &
      all (fun q => all (fun k => ~~ (entry J q k && entry bad q k)) (iota 0 n)) (iota 0 n)].

(** It is that of the theorem. *)
Theorem list_check_invariantE A J bad :
  list_check_invariant A J bad = check_invariant (@held n A) (@held n J) (@held n bad).
Proof.
rewrite /list_check_invariant /check_invariant !all_iota; congr [&& _, _ & _];
  apply: eq_forallb => q; rewrite all_iota; apply: eq_forallb => k //.
by rewrite -[entry (list_compose _ _) q k]/(held _ q k) list_composeE.
Qed.

(** The entry of a table of hops. *)
Definition hop (hops : seq (seq (option nat))) (q k : nat) : option nat :=
  nth None (nth [::] hops q) k.

(** The test of a hop matrix. *)
Definition list_check_hops A hops : bool :=
  [&& all (fun q => hop hops q q == Some 0) (iota 0 n),
      all (fun q => all (fun k => match hop hops q k with
         | Some 0 => q == k
         | Some d.+1 => has (fun m => (hop hops q m == Some d) && entry A m k) (iota 0 n)
         | None => true end) (iota 0 n)) (iota 0 n) &
      all (fun q => all (fun m => all (fun k => entry A m k ==>
         if hop hops q m is Some d
         then if hop hops q k is Some e then e <= d.+1 else false
         else true) (iota 0 n)) (iota 0 n)) (iota 0 n)].

(** It is that of the theorem. *)
Theorem list_check_hopsE A hops :
  list_check_hops A hops = check_hops (@held n A) (fun q k : 'I_n => hop hops q k).
Proof.
rewrite /list_check_hops /check_hops !all_iota; congr [&& _, _ & _]; apply: eq_forallb => q;
  rewrite all_iota; apply: eq_forallb => k; last by rewrite all_iota.
by case: (hop hops q k) => [[|d]|] //; rewrite has_iota.
Qed.

(** The test of a width: positions as numbers. *)
Definition list_check_width R (antichain : seq nat) (chains : seq (seq nat)) : bool :=
  [&& uniq antichain, all (fun x => x < n) antichain,
      all (fun x => all (fun y => entry R x y ==> (x == y)) antichain) antichain,
      all (all (fun x => x < n)) chains,
      all (sorted (fun x y => entry R y x)) chains,
      all (fun x => x \in flatten chains) (iota 0 n) &
      size antichain == size chains].

(** Numbers below [n] as positions. *)
Definition positions_of (s : seq nat) : seq 'I_n := pmap insub s.

(** No number is lost. *)
Lemma positions_ofK s : all (fun x => x < n) s -> map val (positions_of s) = s.
Proof.
elim: s => //= x s IH /andP[lt_x /IH eq_s].
by rewrite /positions_of /= insubT /= -/(positions_of s) eq_s.
Qed.

(** What the program accepts is a certificate of the theorem. *)
Theorem list_check_width_sound R antichain chains :
  list_check_width R antichain chains ->
  check_width (@held n R) [set x in positions_of antichain] (map positions_of chains).
Proof.
case/and5P=> uniq_a small_a /allP anti small_c /and3P[/allP sorted_c /allP every /eqP same].
have val_a := positions_ofK small_a.
have mem_of s (x : 'I_n) : all (fun x => x < n) s -> (x \in positions_of s) = (val x \in s).
  by move=> small; rewrite -[in RHS](positions_ofK small) mem_map //; apply: val_inj.
apply/and3P; split.
- apply/antichainP=> x y; rewrite !inE !mem_of // => ax ay Rxy; apply: val_inj.
  by have /allP/(_ _ ay)/implyP/(_ Rxy)/eqP := anti _ ax.
- apply/andP; split.
    apply/allP=> _ /mapP[s chain_s ->]; have := sorted_c s chain_s.
    by rewrite -{1}(positions_ofK (allP small_c s chain_s)) sorted_map.
  apply/forallP=> x; have: val x \in iota 0 n by rewrite mem_iota /=.
  case/every/flattenP=> s chain_s xs; apply/flattenP; exists (positions_of s); first exact: map_f.
  by rewrite mem_of // (allP small_c).
- rewrite cardsE (card_uniqP _); last by rewrite -(map_inj_uniq val_inj) val_a.
  by rewrite -(size_map val) val_a size_map same.
Qed.
End Lists.

Section TwoTables.
Variables (n m : nat) (A B : seq (seq bool)) (a b map_ : seq nat) (v w : nat).
Hypotheses (lt_v : v < n) (lt_w : w < m.+1).
Hypothesis in_range : forall q : 'I_n, nth 0 map_ q < m.+1.

(** The test of an isomorphism from what [v] reads in one table to what [w] reads in another:
    the image of position [x] is entry [x] of a list, its input the number at [x]. *)
Definition list_check_isomorphism : bool :=
  let f x := nth 0 map_ x in let D := entry A v in let E := entry B w in
  [&& all (fun x => D x ==> E (f x)) (iota 0 n),
      all (fun y => E y ==> has (fun x => D x && (f x == y)) (iota 0 n)) (iota 0 m.+1),
      all (fun x => all (fun y => D x && D y ==>
        ((f x == f y) ==> (x == y)) && (entry A x y == entry B (f x) (f y))) (iota 0 n))
        (iota 0 n) &
      all (fun x => D x ==> (nth 0 a x == nth 0 b (f x))) (iota 0 n)].

(** It is that of the theorem. *)
Theorem list_check_isomorphismE :
  list_check_isomorphism =
  check_isomorphism
    (P := Diagram (@held n A) (fun q => nth 0 a q))
    (Q := Diagram (@held m.+1 B) (fun q => nth 0 b q))
    (held A (Ordinal lt_v)) (held B (Ordinal lt_w)) (fun q => inord (nth 0 map_ q)).
Proof.
have image (q : 'I_n) : (inord (nth 0 map_ q) : 'I_m.+1) = nth 0 map_ q :> nat.
  by rewrite inordK.
rewrite /list_check_isomorphism /check_isomorphism !all_iota; congr [&& _, _, _ & _].
- by apply: eq_forallb => q; rewrite /held /= image.
- apply: eq_forallb => y; rewrite has_iota; congr (_ ==> _); apply: eq_existsb => x.
  by rewrite -(inj_eq val_inj) /= image.
- apply: eq_forallb => x; rewrite all_iota; apply: eq_forallb => y.
  by rewrite -(inj_eq val_inj) /= /held !image.
- by apply: eq_forallb => q; rewrite /= image.
Qed.
End TwoTables.

(** A table from one number: bit [n q + k] tells whether [q] reads [k]. *)
Definition rows_of (n : nat) (number : N) : seq (seq bool) :=
  [seq [seq N.testbit number (N.of_nat (n * q + k)) | k <- iota 0 n] | q <- iota 0 n].
