(** Every finite partial order has an antichain and as many chains that hold every node. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Width.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Dilworth.
Variable node : finType.
Variable R : rel node.
Implicit Types (x y z a : node) (A B S : {set node}).
Hypothesis orderR : partial_order R.
Let reflR : reflexive R := proj1 (proj1 orderR).
Let transR : transitive R := proj2 (proj1 orderR).
Let antiR : antisymmetric R := proj2 orderR.

(** A colouring of a part whose colours are chains. *)
Definition chain_colouring S k (c : node -> nat) : Prop :=
  (forall x, x \in S -> c x < k) /\
  (forall x y, x \in S -> y \in S -> c x = c y -> R x y || R y x).

(** Different nodes of an antichain have different colours. *)
Lemma colours_differ S k c B :
  chain_colouring S k c -> antichain R B -> B \subset S -> {in B &, injective c}.
Proof.
move=> [_ same] /antichainP anti /subsetP sub x y Bx By eq_c.
by case/orP: (same x y (sub x Bx) (sub y By) eq_c) => /anti->.
Qed.

(** So an antichain is no larger than the number of colours. *)
Lemma antichain_at_most_colours S k c B :
  chain_colouring S k c -> antichain R B -> B \subset S -> #|B| <= k.
Proof.
move=> col anti sub; have inj := colours_differ col anti sub.
rewrite cardE -(size_map c) -[X in _ <= X](size_iota 0); apply: uniq_leq_size => [|i].
  by rewrite map_inj_in_uniq ?enum_uniq // => x y; rewrite !mem_enum; apply: inj.
case/mapP=> x; rewrite mem_enum => Bx ->; rewrite mem_iota /=.
by case: col => small _; apply: small; apply: subsetP sub _ Bx.
Qed.

(** And an antichain as large as that has a node of each colour. *)
Lemma full_antichain_has_colour S k c B i :
  chain_colouring S k c -> antichain R B -> B \subset S -> #|B| = k -> i < k ->
  exists2 x, x \in B & c x = i.
Proof.
move=> col anti sub size_B lt_ik; have inj := colours_differ col anti sub.
have uniq_c: uniq (map c (enum B)).
  by rewrite map_inj_in_uniq ?enum_uniq // => x y; rewrite !mem_enum; apply: inj.
have small: {subset map c (enum B) <= iota 0 k}.
  move=> j /mapP[x]; rewrite mem_enum => Bx ->; rewrite mem_iota /=.
  by case: col => lt _; apply: lt; apply: subsetP sub _ Bx.
have := uniq_min_size uniq_c small; rewrite size_map -cardE size_B size_iota => /(_ (leqnn k)).
case=> _ eq_mem; have: i \in map c (enum B) by rewrite eq_mem mem_iota.
by case/mapP=> x; rewrite mem_enum => Bx ->; exists x.
Qed.

(** Each nonempty part has a node that nothing else in it is read by. *)
Lemma top_exists S x0 : x0 \in S -> exists2 a, a \in S & forall x, x \in S -> R a x -> x = a.
Proof.
move=> Sx0; case: (arg_minnP (fun a => #|[set x | R a x]|) Sx0) => a Sa least.
exists a => // x Sx Rax; apply: antiR; rewrite Rax andbT.
have sub: [set y | R x y] \subset [set y | R a y].
  by apply/subsetP=> y; rewrite !inE; apply: transR.
have /eqP/setP/(_ a) : [set y | R x y] == [set y | R a y] by rewrite eqEcard sub least.
by rewrite !inE reflR.
Qed.

(** For a part of the order: an antichain, and as many colours that are chains. *)
Lemma dilworth_colouring S :
  exists A c, [/\ A \subset S, antichain R A & chain_colouring S #|A| c].
Proof.
have [n] := ubnP #|S|; elim: n S => // n IH S le_n.
have [->|[x0 Sx0]] := set_0Vmem S.
  exists set0, (fun _ => 0); split; rewrite ?sub0set //.
    by apply/antichainP=> x y; rewrite inE.
  by split=> [x|x y]; rewrite inE.
have [a Sa top_a] := top_exists Sx0.
have ltS' : #|S :\ a| < n by move: le_n; rewrite (cardsD1 a S) Sa ltnS.
have [A [c [subA antiA col]]] := IH _ ltS'.
pose k := #|A|.
(* A node is on a largest antichain of the rest. *)
pose full x := [exists B : {set node}, [&& x \in B, B \subset S :\ a, antichain R B & #|B| == k]].
have fullP x B : x \in B -> B \subset S :\ a -> antichain R B -> #|B| = k -> full x.
  by move=> Bx sub anti size_B; apply/existsP; exists B; rewrite Bx sub anti size_B eqxx.
pose X := [set x in S :\ a | full x &&
  [forall y in S :\ a, (c y == c x) && full y ==> R y x]].
have lastP x y : x \in X -> y \in S :\ a -> c y = c x -> full y -> R y x.
  rewrite inE => /and3P[_ _ /forall_inP last] Sy eq_c full_y.
  by have := last y Sy; rewrite eq_c eqxx full_y.
have subX : X \subset S :\ a by apply/subsetP=> x; rewrite inE => /andP[].
have full_X x : x \in X -> full x by rewrite inE => /and3P[].
have lt_c x : x \in S :\ a -> c x < k by case: col => lt _; apply: lt.
have antiX : antichain R X.
  apply/antichainP=> x y Xx Xy Rxy.
  have /existsP[B /and4P[By subB antiB /eqP size_B]] := full_X y Xy.
  have Sx := subsetP subX x Xx; have Sy := subsetP subX y Xy.
  have [z Bz eq_c] := full_antichain_has_colour col antiB subB size_B (lt_c x Sx).
  have full_z := fullP z B Bz subB antiB size_B.
  have Rzx := lastP x z Xx (subsetP subB z Bz) eq_c full_z.
  have eq_zy := antichainP R B antiB z y Bz By (transR Rzx Rxy).
  by apply: antiR; rewrite Rxy (lastP x y) ?full_X // -eq_zy.
have X_colour i : i < k -> exists2 x, x \in X & c x = i.
  move=> lt_ik; have [y Ay cy] := full_antichain_has_colour col antiA subA (erefl _) lt_ik.
  pose good x := [&& x \in S :\ a, c x == i & full x].
  have good_y : good y.
    by rewrite /good (subsetP subA y Ay) cy eqxx (fullP y A).
  case: (arg_maxnP (fun x => #|[set z | R z x]|) good_y) => x /and3P[Sx /eqP cx full_x] most.
  exists x => //; rewrite inE Sx full_x /=; apply/forall_inP=> z Sz; apply/implyP.
  case/andP=> /eqP cz full_z.
  have /orP[//|Rxz] : R z x || R x z by case: col => _; apply.
  have sub: [set u | R u x] \subset [set u | R u z].
    by apply/subsetP=> u; rewrite !inE => Rux; apply: transR Rux Rxz.
  have good_z : good z by rewrite /good Sz cz cx eqxx.
  have le_zx : #|[set u | R u z]| <= #|[set u | R u x]| := most z good_z.
  have /eqP/setP/(_ z) : [set u | R u x] == [set u | R u z] by rewrite eqEcard sub le_zx.
  by rewrite !inE reflR.
have size_X : k <= #|X|.
  rewrite [#|X|]cardE -(size_map c) -[X in X <= _](size_iota 0).
  apply: uniq_leq_size (iota_uniq _ _) _ => i; rewrite mem_iota /= => /X_colour[x Xx <-].
  by apply: map_f; rewrite mem_enum.
have subS : S :\ a \subset S by apply: subD1set.
have [above|apart] := boolP [exists x in X, R x a]; last first.
  (* Nothing of [X] is comparable with [a]: the antichain grows. *)
  have a_notin : a \notin X by rewrite inE !inE eqxx.
  have size_aX : #|a |: X| = k.+1.
    rewrite cardsU1 a_notin; congr _.+1; apply/eqP; rewrite eqn_leq size_X andbT.
    exact: antichain_at_most_colours col antiX subX.
  exists (a |: X), (fun x => if x == a then k else c x); split.
  - by rewrite subUset sub1set Sa (subset_trans subX).
  - apply/antichainP=> x y; rewrite !in_setU1.
    case/orP=> [/eqP->|Xx] /orP[/eqP->|Xy] //.
    + by move/(top_a y (subsetP subS _ (subsetP subX _ Xy))).
    + by move=> Rxa; case/negP: apart; apply/exists_inP; exists x.
    + exact: (antichainP R X antiX).
  - rewrite size_aX; split=> [x Sx|x y Sx Sy].
      by case: eqP => [_|/eqP neq]; rewrite ?ltnS ?leqnn // ltnW // lt_c // !inE neq.
    have in_rest z : z \in S -> (z == a) = false -> z \in S :\ a by move=> Sz neq; rewrite !inE neq.
    case: (x =P a) => [->|/eqP/negbTE neq_x]; case: (y =P a) => [->|/eqP/negbTE neq_y].
    + by rewrite reflR.
    + by move=> eq_k; have := lt_c y (in_rest y Sy neq_y); rewrite -eq_k ltnn.
    + by move=> eq_k; have := lt_c x (in_rest x Sx neq_x); rewrite eq_k ltnn.
    + by case: col => _ same; apply: same; apply: in_rest.
(* Some [x] of [X] is below [a]: what is below it in its chain becomes a chain with [a]. *)
have /exists_inP[x Xx Rxa] := above.
have Sx := subsetP subX x Xx.
pose K := a |: [set z in S :\ a | (c z == c x) && R z x].
have aK : a \in K by rewrite inE set11.
have subD : S :\: K \subset S :\ a.
  by apply/subsetP=> z; rewrite !inE negb_or => /andP[/andP[-> _] ->].
have ltD : #|S :\: K| < n by apply: leq_ltn_trans (subset_leq_card subD) ltS'.
have [A2 [c2 [subA2 antiA2 col2]]] := IH _ ltD.
have subA2' := subset_trans subA2 subD.
have small : #|A2| < k.
  rewrite ltn_neqAle (antichain_at_most_colours col antiA2 subA2') andbT.
  apply/negP=> /eqP size_A2.
  have [y Ay cy] := full_antichain_has_colour col antiA2 subA2' size_A2 (lt_c x Sx).
  have full_y := fullP y A2 Ay subA2' antiA2 size_A2.
  have Sy := subsetP subA2' y Ay.
  have := subsetP subA2 y Ay; rewrite inE => /andP[/negP[]].
  by rewrite in_setU1 [y \in finset _]inE Sy cy eqxx (lastP x y) ?orbT.
exists A, (fun z => if z \in K then #|A2| else c2 z); split=> //.
  exact: subset_trans subA subS.
split=> [z Sz|y z Sy Sz].
  case: ifP => // notK; apply: leq_trans small; rewrite ltnW // ltnS.
  by case: col2 => lt _; apply: lt; rewrite inE notK.
have lt2 u : u \in S -> (u \in K) = false -> c2 u < #|A2|.
  by move=> Su notK; case: col2 => lt _; apply: lt; rewrite inE notK.
case Ky: (y \in K); case Kz: (z \in K).
- move=> _; have below u : u \in K -> R u a.
    rewrite in_setU1 => /orP[/eqP->|]; first exact: reflR.
    by rewrite inE => /and3P[_ _ Rux]; apply: transR Rux Rxa.
  move: (Ky) (Kz); rewrite ![_ \in K]in_setU1 => /orP[/eqP->|y_in] /orP[/eqP->|z_in].
  + by rewrite reflR.
  + by rewrite (below z Kz) orbT.
  + by rewrite (below y Ky).
  + move: y_in z_in; rewrite inE => /and3P[S'y /eqP cy _]; rewrite inE => /and3P[S'z /eqP cz _].
    by case: col => _ same; apply: same; rewrite // cy.
- by move=> eq_c; have := lt2 z Sz Kz; rewrite -eq_c ltnn.
- by move=> eq_c; have := lt2 y Sy Ky; rewrite eq_c ltnn.
- by case: col2 => _ same; apply: same; rewrite inE ?Ky ?Kz.
Qed.

(** Dilworth's theorem: every finite partial order has a certificate of its width. *)
Theorem dilworth : exists A chains, check_width R A chains.
Proof.
have [A [c [_ antiA [small same]]]] := dilworth_colouring setT.
exists A, [seq sort (fun x y => R y x) (enum [set x | c x == i]) | i <- iota 0 #|A|].
rewrite /check_width /chain_cover antiA size_map size_iota eqxx andbT /=; apply/andP; split.
  apply/allP=> _ /mapP[i _ ->]; rewrite /chain.
  apply: (@sort_sorted_in _ [pred x | c x == i]) => [x y|].
    rewrite !inE => /eqP cx /eqP cy; rewrite orbC.
    by apply: same; rewrite ?inE // cx cy.
  by apply/allP=> x; rewrite mem_enum !inE.
apply/forallP=> x; apply/flattenP.
exists (sort (fun x y => R y x) (enum [set y | c y == c x])); last by rewrite mem_sort mem_enum inE.
by apply: map_f; rewrite mem_iota /=; apply: small; rewrite inE.
Qed.
End Dilworth.
