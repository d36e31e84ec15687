(** Blocks that move groups of points from right to left end with each of them exactly at its
    target. *)
From Coq Require Import QArith Lqa List ssreflect.
From Attention Require Import Block Move.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope Q_scope.

(** The sweep: the rightmost groups move first. *)
Fixpoint sweep (ps : list part) (x : point) : point :=
  match ps with
  | nil => x
  | p :: rest => sweep rest (step (part_bends p) x)
  end.

(** The sweep is to bring the point [t] of the line to [y]: a block moves its group there, or holds
    it at a place that later blocks bring to [y]. *)
Fixpoint becomes (ps : list part) (t : Q) (y : point) : Prop :=
  match ps with
  | nil => False
  | p :: rest =>
    (exists g, In g (groups p) /\ holds g t /\ y = target g) \/
    match held p with Some (l, h) => l <= t /\ t <= h /\ becomes rest l y | None => False end \/
    becomes rest t y
  end.

(** Blocks from right to left: what later blocks are to move is left of the knots of earlier ones,
    no knot is left of [base], and no target is right of it in coordinate 0. *)
Fixpoint orderly (base : Q) (ps : list part) : Prop :=
  match ps with
  | nil => True
  | p :: rest =>
    part_fits base p /\ (forall g, In g (groups p) -> target g O <= base) /\
    (forall t y, becomes rest t y -> before t p) /\ orderly base rest
  end.

(** What is not right of [base] stays where it is. *)
Theorem sweep_keeps base ps x : orderly base ps -> x O <= base -> same (sweep ps x) x.
Proof.
elim: ps x => [|p rest IH] x; first by move=> _ _ i; apply: Qeq_refl.
case=> [fit [_ [_ order]]] xb.
have left : before (x O) p.
  move: fit; rewrite /part_fits /before; case: (held p) => [[l h]|].
    case=> bl [lh fit]; split; first lra.
    by move=> g /(fits_right fit)[hk _]; lra.
  by move=> fit; split=> // g /(fits_right fit)[bk _]; lra.
have kept := part_keeps fit left.
have kept0 := kept O; move=> i; rewrite [sweep _ _]/= (IH _ order) //; lra.
Qed.

(** Every point ends exactly where it is to go, whatever the other groups are. *)
Theorem sweep_moves base ps t y x :
  orderly base ps -> becomes ps t y -> same x (on_line t) -> same (sweep ps x) y.
Proof.
elim: ps t x => [|p rest IH] t x //= [fit [low_y [later order]]].
case=> [[g [g_in [gt ->]]]|[held_t|to_y]] eq_x.
- have moved := part_moves fit g_in gt eq_x.
  have moved0 := moved O; have yb := low_y g g_in.
  by move=> i; rewrite (sweep_keeps order) //; lra.
- case E: (held p) held_t => [[l h]|] // [lt [th to_y]].
  exact: IH order to_y (part_holds fit E lt th eq_x).
- apply: (IH t) => // i.
  have left : before (x O) p.
    have [a b] := later t y to_y; have eq0 := eq_x O; rewrite /= in eq0.
    split; last by move=> g /b; lra.
    by move: a; case: (held p) => [[l h]|] //; lra.
  by rewrite (part_keeps fit left).
Qed.

(** Equal points are swept to equal points. *)
Lemma sweep_same ps x y : same x y -> same (sweep ps x) (sweep ps y).
Proof. by elim: ps x y => //= p rest IH x y eq_x; apply/IH/step_same. Qed.

(** The same where the first block reads the place on the line off a token. *)
Corollary first_sweep_moves base p ps t y :
  orderly base (p :: ps) -> becomes (p :: ps) t y -> 0 <= t ->
  same (sweep ps (first_step (part_bends p) t)) y.
Proof.
move=> order to_y t0 i; rewrite (sweep_same ps (first_step_same (part_bends p) t0) i).
by apply: (sweep_moves order to_y) => j; apply: Qeq_refl.
Qed.

(** One block for each group, from right to left, before the blocks [later]: the move to a group
    begins at the right end of the group before it, or at [base]. *)
Fixpoint one_by_one (base : Q) (gs : list (Q * Q * point)) (later : list part) : list part :=
  match gs with
  | nil => later
  | ((l, h), y) :: rest =>
    one_by_one h rest (Part None (Group base l h true y :: nil) :: later)
  end.

(** Groups from left to right, disjoint and right of [base]. *)
Fixpoint disjoint (base : Q) (gs : list (Q * Q * point)) : Prop :=
  match gs with
  | nil => True
  | ((l, h), _) :: rest => base < l /\ l <= h /\ disjoint h rest
  end.

(** These blocks have width two. *)
Lemma one_by_one_width base gs later p :
  (forall q, In q later -> length (part_bends q) = 2%nat) ->
  In p (one_by_one base gs later) -> length (part_bends p) = 2%nat.
Proof.
elim: gs base later => [|[[l h] y] rest IH] base later two /=; first exact: two.
by apply: IH => q /= [<-|/two].
Qed.

(** One block for each group: a sweep always exists. *)
Lemma one_by_one_orderly origin base gs later :
  origin <= base -> disjoint base gs -> (forall l h y, In (l, h, y) gs -> y O <= origin) ->
  orderly origin later -> (forall t y, becomes later t y -> t <= base) ->
  orderly origin (one_by_one base gs later) /\
  (forall t y, becomes later t y -> becomes (one_by_one base gs later) t y) /\
  (forall l h y t, In (l, h, y) gs -> l <= t -> t <= h -> becomes (one_by_one base gs later) t y).
Proof.
elim: gs base later => [|[[l h] y] rest IH] base later ob /=; first by [].
case=> bl [lh apart] low_y order left.
have [|||||a [b c]] := IH h (Part None (Group base l h true y :: nil) :: later).
- lra.
- exact: apart.
- by move=> l' h' y' y'_in; apply: (low_y l' h'); right.
- split; first by rewrite /part_fits /=.
  split; first by move=> g [<-|//] /=; apply: (low_y l h); left.
  by split=> // t y' /left tb; split=> // g [<-|//].
- move=> t y' /= [[g [[<-|//] [gt _]]]|[//|/left tb]]; last lra.
  by move: gt; rewrite /holds /=; lra.
- split=> //; split; first by move=> t y' to_y; apply: b; right; right.
  move=> l' h' y' t [[<- <- <-]|y'_in] lt th; last exact: (c l' h').
  by apply: b; left; exists (Group base l h true y); split; [left | split].
Qed.

(** The construction never fails: disjoint groups right of [base], however many points they hold,
    and any targets that are not right of [base] in coordinate 0, have a sweep of blocks of width
    two, as many as there are groups, after which every point of each group is at its target. *)
Theorem sweep_exists base gs :
  disjoint base gs -> (forall l h y, In (l, h, y) gs -> y O <= base) ->
  exists ps, length ps = length gs /\ (forall p, In p ps -> length (part_bends p) = 2%nat) /\
    forall l h y t, In (l, h, y) gs -> l <= t -> t <= h -> same (sweep ps (on_line t)) y.
Proof.
move=> apart low_y; exists (one_by_one base gs nil); split.
  have count later b : length (one_by_one b gs later) = (length gs + length later)%nat.
    elim: gs b later {apart low_y} => [|[[l h] y] rest IH] b later //=.
    by rewrite IH /= -plus_n_Sm.
  by rewrite count -plus_n_O.
split; first by move=> p; apply: one_by_one_width.
have none t y : becomes nil t y -> t <= base by [].
have [order [_ reach]] :=
  one_by_one_orderly (Qle_refl base) apart low_y (I : orderly base nil) none.
move=> l h y t y_in lt th; apply: (sweep_moves order (reach l h y t y_in lt th)) => i.
exact: Qeq_refl.
Qed.
