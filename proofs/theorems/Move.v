(** A block moves groups of points of a line to their targets, and leaves alone what is left of
    them. *)
From Coq Require Import QArith Lqa List ssreflect.
From Attention Require Import Block.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope Q_scope.

(** A point has a coordinate for each number; of a space of dimension [d] the first [d] count. *)
Definition point := nat -> Q.

(** The point of the line, which is the axis of coordinate 0. *)
Definition on_line (t : Q) : point := fun i => match i with O => t | S _ => 0 end.

(** Points are equal when their coordinates are. *)
Definition same (x y : point) : Prop := forall i, x i == y i.

(** A group holds the points of the line from [low] to [high], all of which go to [target]; its
    move begins at [knot]. A group that is [wide] costs one neuron more, which holds it together. *)
Record group := Group { knot : Q; low : Q; high : Q; wide : bool; target : point }.

(** A point of the line is in a group. *)
Definition holds (g : group) (t : Q) : Prop :=
  if wide g then low g <= t /\ t <= high g else t == low g.

(** A neuron of a block: it reads coordinate 0 and adds [push * relu (x 0 - from)]. *)
Record bend := Bend { from : Q; push : point }.

(** What the bends of a block add up to. *)
Fixpoint added (bs : list bend) (t : Q) (i : nat) : Q :=
  match bs with
  | nil => 0
  | b :: rest => push b i * relu (t - from b) + added rest t i
  end.

(** A feed-forward block with a residual. *)
Definition step (bs : list bend) (x : point) : point := fun i => x i + added bs (x O) i.

(** A block without a residual, which reads [t] off a token: one neuron more puts it on the line. *)
Definition first_step (bs : list bend) (t : Q) : point :=
  fun i => on_line 1 i * relu t + added bs t i.

(** The slope of the line through [value] at the knot of a group and its target at its left end. *)
Definition rise (value : point) (g : group) : point :=
  fun i => (target g i - value i) / (low g - knot g).

(** The bends for groups from left to right: the line comes with [slope] and has [value] at the
    first knot; from each knot it goes to the target, and stays there over a wide group. *)
Fixpoint moves (slope value : point) (gs : list group) : list bend :=
  match gs with
  | nil => nil
  | g :: rest =>
    let up := rise value g in
    let move := Bend (knot g) (fun i => up i - slope i) in
    if wide g
    then move :: Bend (low g) (fun i => - up i) :: moves (fun _ => 0) (target g) rest
    else move :: moves up (target g) rest
  end.

(** What a block does: it may hold the points between two places together at the first of them, for
    the next block to move on, and right of these it moves groups. *)
Record part := Part { held : option (Q * Q); groups : list group }.

(** The bends of a block: left of the first knot it is the identity. *)
Definition part_bends (p : part) : list bend :=
  match held p, groups p with
  | Some (l, _), gs => Bend l (fun i => - on_line 1 i) :: moves (fun _ => 0) (on_line l) gs
  | None, nil => nil
  | None, g :: _ => moves (on_line 1) (on_line (knot g)) (groups p)
  end.

(** Groups from left to right, none of them left of [t]: a move ends where its group begins, and
    behind a group that is not wide the next move begins at once. *)
Fixpoint fits (t : Q) (gs : list group) : Prop :=
  match gs with
  | nil => True
  | g :: rest =>
    t <= knot g /\ knot g < low g /\ low g <= high g /\ fits (high g) rest /\
    (wide g = false -> match rest with nil => True | g' :: _ => knot g' == low g end)
  end.

(** The knots of a block are in order, and none is left of [base]. *)
Definition part_fits (base : Q) (p : part) : Prop :=
  match held p with
  | Some (l, h) => base <= l /\ l <= h /\ fits h (groups p)
  | None => fits base (groups p)
  end.

(** No knot of a block is left of [t]. *)
Definition before (t : Q) (p : part) : Prop :=
  match held p with Some (l, _) => t <= l | None => True end /\
  forall g, In g (groups p) -> t <= knot g.

(** How many neurons groups need: one for each, and one more for each that is wide. *)
Fixpoint width (gs : list group) : nat :=
  match gs with
  | nil => 0%nat
  | g :: rest => ((if wide g then 2 else 1) + width rest)%nat
  end.

(** The width of a block: that of its groups, and one neuron more if it holds points together. *)
Theorem part_width p :
  length (part_bends p) = (match held p with Some _ => 1 | None => 0 end + width (groups p))%nat.
Proof.
have count slope value gs : length (moves slope value gs) = width gs.
  elim: gs slope value => [|g rest IH] slope value //=.
  by case: (wide g); rewrite /= IH.
case: p => [[[l h]|] [|g gs]] //; rewrite /part_bends.
  exact: (f_equal S (count (fun _ => 0) (on_line l) (g :: gs))).
exact: (count (on_line 1) (on_line (knot g)) (g :: gs)).
Qed.

(** A point of a group is not left of its left end, nor right of its right end. *)
Lemma holds_within g t : low g <= high g -> holds g t -> low g <= t /\ t <= high g.
Proof. by rewrite /holds; case: (wide g) => // lh eq_t; split; lra. Qed.

(** Left of all knots nothing is added. *)
Lemma moves_left base slope value gs t i :
  fits base gs -> (forall g, In g gs -> t <= knot g) -> added (moves slope value gs) t i == 0.
Proof.
elim: gs base slope value => [|g rest IH] base slope value //= [_ [kl [lh [fit _]]]] left.
have tk : t <= knot g by apply: left; left.
have none s v := IH (high g) s v fit (fun g' g'_in => left g' (or_intror g'_in)).
have nk : relu (t - knot g) == 0 by apply: relu_left; lra.
have nl : relu (t - low g) == 0 by apply: relu_left; lra.
by case: (wide g); rewrite /= none nk ?nl; ring.
Qed.

(** All knots are right of where the groups begin, and so are the groups. *)
Lemma fits_right base gs g : fits base gs -> In g gs -> base <= knot g /\ knot g < low g /\
  low g <= high g.
Proof.
elim: gs base => [|g' rest IH] base //= [bk [kl [lh [fit _]]]] [<-|g_in]; first by [].
by have [a b] := IH _ fit g_in; split; lra.
Qed.

(** On a group the line has become the target. *)
Lemma moves_reach base slope value gs g t i :
  fits base gs -> In g gs -> holds g t ->
  match gs with
  | nil => True
  | first :: _ =>
    value i + slope i * (t - knot first) + added (moves slope value gs) t i == target g i
  end.
Proof.
elim: gs base slope value => [|f rest IH] base slope value //= [bk [kl [lh [fit next]]]].
have run : ~ low f - knot f == 0 by lra.
have ends : value i + rise value f i * (low f - knot f) == target f i.
  by rewrite /rise; field.
case=> [<-|g_in] held.
  have [lt th] := holds_within lh held.
  have none s v : added (moves s v rest) t i == 0.
    apply: (moves_left s v i fit) => g' g'_in.
    by have [a _] := fits_right fit g'_in; lra.
  have rk : relu (t - knot f) == t - knot f by apply: relu_right; lra.
  have rl : relu (t - low f) == t - low f by apply: relu_right; lra.
  move: held; rewrite /holds; case: (wide f) => [_|eq_t] /=; rewrite none rk ?rl.
    by rewrite -ends; ring.
  by rewrite -ends eq_t; ring.
have [ab [kg lg]] := fits_right fit g_in.
have [lt th] := holds_within lg held.
have rk : relu (t - knot f) == t - knot f by apply: relu_right; lra.
have rl : relu (t - low f) == t - low f by apply: relu_right; lra.
have [f' [after eq_rest]] : exists f' after, rest = f' :: after.
  by case: rest g_in {IH fit next} => [|f' after] // _; exists f', after.
have IHf s : target f i + s i * (t - knot f') + added (moves s (target f) rest) t i == target g i.
  by have := IH _ s (target f) fit g_in held; rewrite {1}eq_rest.
move: next; case: (wide f) => [_|/(_ eq_refl)] /=.
  by rewrite -(IHf (fun _ => 0)) rk rl -ends; ring.
rewrite {1}eq_rest => eq_k.
by rewrite -(IHf (rise value f)) rk -ends eq_k; ring.
Qed.

(** Equal readings add the same. *)
Lemma added_same bs t t' i : t == t' -> added bs t i == added bs t' i.
Proof.
move=> eq_t; elim: bs => [|b rest IH] //=.
by rewrite IH /relu eq_t.
Qed.

(** Equal points go to equal points. *)
Lemma step_same bs x y : same x y -> same (step bs x) (step bs y).
Proof. by move=> eq_x i; rewrite /step (added_same _ i (eq_x O)) (eq_x i). Qed.

(** A block without a residual does to what it reads what the other one does to a point of the
    line, if that is not left of zero. *)
Theorem first_step_same bs t : 0 <= t -> same (first_step bs t) (step bs (on_line t)).
Proof.
move=> t0 i; rewrite /first_step /step relu_right //.
by rewrite [on_line t O]/=; case: i => [|i] /=; ring.
Qed.

(** A block leaves what is left of its knots where it is. *)
Theorem part_keeps base p x : part_fits base p -> before (x O) p -> same (step (part_bends p) x) x.
Proof.
case: p => [[[l h]|] gs]; rewrite /part_fits /before /part_bends /step /=.
  case=> [bl [lh fit]] [xl left] i.
  have none := moves_left (fun _ => 0) (on_line l) i fit left.
  have nl : relu (x O - l) == 0 by apply: relu_left; lra.
  by rewrite [added _ _ _]/= none nl; ring.
move=> fit [_ left] i; case: gs fit left => [|g gs] fit left.
  by rewrite [added _ _ _]/=; ring.
by rewrite (moves_left _ _ i fit left); ring.
Qed.

(** A block moves each point of its groups to the target. *)
Theorem part_moves base p g t x :
  part_fits base p -> In g (groups p) -> holds g t -> same x (on_line t) ->
  same (step (part_bends p) x) (target g).
Proof.
move=> fits_p g_in gt eq_x i; rewrite /step (added_same _ i (eq_x O)) (eq_x i).
rewrite [on_line t O]/=; move: fits_p g_in.
have along k : on_line t i == on_line k i + on_line 1 i * (t - k) by case: i => [|i] /=; ring.
case: p => [[[l h]|] gs]; rewrite /part_fits /part_bends /=.
  case=> [bl [lh fit]] g_in; have [hk [kl lh']] := fits_right fit g_in.
  have [lt th] := holds_within lh' gt.
  have rl : relu (t - l) == t - l by apply: relu_right; lra.
  have := moves_reach (fun _ => 0) (on_line l) i fit g_in gt.
  case: gs fit g_in => [|f gs] // fit g_in reach.
  by rewrite rl -reach (along l); ring.
move=> fit g_in; case: gs fit g_in => [|f gs] // fit g_in.
have := moves_reach (on_line 1) (on_line (knot f)) i fit g_in gt.
by move=> <-; rewrite (along (knot f)).
Qed.

(** A block holds points together. *)
Theorem part_holds base p l h t x :
  part_fits base p -> held p = Some (l, h) -> l <= t -> t <= h -> same x (on_line t) ->
  same (step (part_bends p) x) (on_line l).
Proof.
case: p => [hold gs]; rewrite /part_fits /part_bends /= => fits_p eq_p; move: fits_p; rewrite eq_p.
case=> bl [lh fit] lt th eq_x i; rewrite /step (added_same _ i (eq_x O)) (eq_x i).
have left g : In g gs -> t <= knot g by move=> /(fits_right fit)[hk _]; lra.
have none := moves_left (fun _ => 0) (on_line l) i fit left.
have rl : relu (t - l) == t - l by apply: relu_right; lra.
rewrite [on_line t O]/= [added _ _ _]/= none rl.
by case: i {none} => [|i] /=; ring.
Qed.
