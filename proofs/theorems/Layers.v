(** Colours that agree round by round give equal states, with a mask for each layer and head. *)
From Coq Require Import Permutation.
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask EqualStates StableColouring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Rules.
Variables (offset state : Type).

(** Two families are alike if some allowed numbers of copies are rearrangements of each other:
    one copy of each where attention sees multisets, any positive numbers where it sees shares. *)
Definition alike (allowed : nat -> nat -> bool) (X : Type) (s t : seq X) : Prop :=
  exists a b, allowed a b /\ Permutation (flatten (nseq a s)) (flatten (nseq b t)).

(** Attention that tells how often a state is read. *)
Definition one_each (a b : nat) : bool := (a == 1) && (b == 1).

(** Attention that tells only the share of each state, as softmax does. *)
Definition any_positive (a b : nat) : bool := (0 < a) && (0 < b).

(** A layer computes the new state from the own state and, for each head, the family of
    offsets and states read. *)
Definition layer_rule := state -> seq (seq (offset * state)) -> state.

(** Head by head, two lists of families are alike. *)
Fixpoint heads_alike allowed (s t : seq (seq (offset * state))) : Prop :=
  match s, t with
  | x :: s', y :: t' => alike allowed x y /\ heads_alike allowed s' t'
  | [::], [::] => True
  | _, _ => False
  end.

(** A rule does not tell apart what is alike. *)
Definition layer_blind allowed (F : layer_rule) :=
  forall own s t, heads_alike allowed s t -> F own s = F own t.
End Rules.

Section Heads.
Variables (offset : eqType) (label state : Type).

(** A head: who reads whom, and at which offset. *)
Record head (T : finType) := Head { head_reads : rel T; head_offset : T -> T -> offset }.

(** A stack of layers, the last one first: its rule and the heads of each. *)
Definition stack (T : finType) := seq (layer_rule offset state * seq (head T)).

(** What a query reads through one head. *)
Definition read_through (T : finType) (X : Type) (value : T -> X) (h : head T) (q : T) :=
  [seq (head_offset h q k, value k) | k <- enum T & head_reads h q k].

(** The states after a stack. *)
Fixpoint layer_states (T : finType) (start : T -> state) (layers : stack T) : T -> state :=
  if layers is (F, heads) :: below
  then fun q => F (layer_states start below q)
    [seq read_through (layer_states start below) h q | h <- heads]
  else start.

(** A part of the positions that no head leaves. *)
Fixpoint stays (T : finType) (D : pred T) (layers : stack T) : Prop :=
  if layers is (_, heads) :: below
  then (forall h x y, List.In h heads -> D x -> head_reads h x y -> D y) /\ stays D below
  else True.
End Heads.

Section Rounds.
Variables (offset : eqType) (state : Type) (P Q : finType) (key : eqType).
Variables (D : pred P) (E : pred Q) (c : nat -> P -> key) (d : nat -> Q -> key).
Variable allowed : nat -> nat -> bool.
Implicit Types (v : P) (w : Q).

(** Two heads read families of colours that are alike. *)
Definition read_alike L (h : head offset P) (g : head offset Q) v w : Prop :=
  exists a b, allowed a b /\
  perm_eq (flatten (nseq a (read_through (c L) h v))) (flatten (nseq b (read_through (d L) g w))).

(** Head by head, as above. *)
Fixpoint all_read_alike L (hs : seq (head offset P)) (gs : seq (head offset Q)) v w : Prop :=
  match hs, gs with
  | h :: hs', g :: gs' => read_alike L h g v w /\ all_read_alike L hs' gs' v w
  | [::], [::] => True
  | _, _ => False
  end.

(** What a checker of colours tests, round by round: positions of one colour had one colour in
    the round before, and read through each head colours that are alike. *)
Fixpoint rounds (p : stack offset state P) (q : stack offset state Q) : Prop :=
  match p, q with
  | (F, hs) :: below_p, (G, gs) :: below_q =>
      [/\ F = G, layer_blind allowed F,
          (forall v w, D v -> E w -> c (size below_p).+1 v = d (size below_p).+1 w ->
             c (size below_p) v = d (size below_p) w /\ all_read_alike (size below_p) hs gs v w) &
          rounds below_p below_q]
  | [::], [::] => True
  | _, _ => False
  end.

(** Positions that have one colour after as many rounds as there are layers have one state. *)
Theorem rounds_keep_states (start_p : P -> state) (start_q : Q -> state) p q :
  (forall v w, D v -> E w -> c 0 v = d 0 w -> start_p v = start_q w) ->
  stays D p -> stays E q -> rounds p q ->
  forall v w, D v -> E w -> c (size p) v = d (size p) w ->
  layer_states start_p p v = layer_states start_q q w.
Proof.
move=> start; elim: p q => [|[F hs] p IH] [|[G gs] q] //=.
move=> [stayP /IH{}IH] [stayQ /IH{}IH] [<- blind step /IH{}IH] v w Dv Ew eq_vw.
have [eq_below alike_heads] := step v w Dv Ew eq_vw.
rewrite (IH v w Dv Ew eq_below); apply: blind.
elim: hs gs alike_heads stayP stayQ {step} => [|h hs IHh] [|g gs] //= [one rest] stayP stayQ.
split; last by apply: IHh => // h' x y inh; [apply: stayP|apply: stayQ]; right.
case: one => a [b [ok perm]]; exists a, b; split=> //.
have stayD x y : D x -> head_reads h x y -> D y by apply: stayP; left.
have stayE x y : E x -> head_reads g x y -> E y by apply: stayQ; left.
move: perm; rewrite /read_through.
set s := [seq k <- enum P | _]; set t := [seq k <- enum Q | _] => perm.
have copies (T : Type) (X : Type) (u : T -> X) n r :
    flatten (nseq n (map u r)) = map u (flatten (nseq n r)).
  by rewrite map_flatten map_nseq.
rewrite !copies in perm *.
apply: Permutation_by_key perm => x y.
have in_copies (T : eqType) n (r : seq T) z : z \in flatten (nseq n r) -> z \in r.
  by case/flattenP=> r'; rewrite mem_nseq => /andP[_ /eqP->].
move=> /in_copies + /in_copies; rewrite !mem_filter => /andP[hx _] /andP[gy _] [-> eq_xy].
by rewrite (IH x y (stayD v x Dv hx) (stayE w y Ew gy) eq_xy).
Qed.
End Rounds.

Section Isomorphism.
Variables (offset : eqType) (state : Type) (P Q : finType).
Variables (D : pred P) (E : pred Q) (f : P -> Q).
Implicit Types (x y : P).

(** [f] carries each head of one stack to that of the other, with its offsets. *)
Fixpoint carries (p : stack offset state P) (q : stack offset state Q) : Prop :=
  match p, q with
  | (F, hs) :: below_p, (G, gs) :: below_q =>
      [/\ F = G, layer_blind one_each F,
          size hs = size gs /\
          (forall h g x y, List.In (h, g) (zip hs gs) -> D x -> D y ->
             head_reads h x y = head_reads g (f x) (f y) /\
             head_offset h x y = head_offset g (f x) (f y)) &
          carries below_p below_q]
  | [::], [::] => True
  | _, _ => False
  end.

(** A bijection of what no head leaves that keeps inputs, keys and offsets in every head of every
    layer keeps all states. *)
Theorem carried_states (start_p : P -> state) (start_q : Q -> state) p q :
  (forall x, D x -> E (f x)) ->
  (forall z, E z -> exists2 x, D x & f x = z) ->
  (forall x y, D x -> D y -> f x = f y -> x = y) ->
  (forall x, D x -> start_p x = start_q (f x)) ->
  stays D p -> stays E q -> carries p q ->
  forall x, D x -> layer_states start_p p x = layer_states start_q q (f x).
Proof.
move=> image onto inj start stayP stayQ carry x Dx.
apply: (@rounds_keep_states _ _ _ _ _ D E (fun=> f) (fun=> id) one_each) => //.
- by move=> v w Dv _ <-; apply: start.
- move: stayP stayQ carry; elim: p q => [|[F hs] p IH] [|[G gs] q] //=.
  move=> [stayD stayP] [stayE stayQ] [-> blind [same_size same] carry].
  split=> // [v w Dv Ew <-|]; last exact: IH.
  split=> //; elim: hs gs same_size same stayD stayE => [|h hs IHh] [|g gs] //=.
  move=> [same_size] same stayD stayE.
  split; last first.
    apply: IHh => // [h' g' y z inh|h' y z inh|h' y z inh];
      [apply: same|apply: (stayD h')|apply: (stayE h')]; by right.
  exists 1, 1; split=> //=; rewrite !cats0.
  have same_h y z := same h g y z (or_introl erefl).
  apply: uniq_perm.
  + rewrite map_inj_in_uniq; first exact: (filter_uniq _ (enum_uniq _)).
    move=> y z.
    rewrite !mem_filter => /andP[hy _] /andP[hz _] [_]; apply: inj;
      [exact: stayD (or_introl erefl) Dv hy|exact: stayD (or_introl erefl) Dv hz].
  + by rewrite map_inj_in_uniq ?(filter_uniq _ (enum_uniq _)) // => y z _ _ [].
  move=> [o z]; apply/mapP/mapP => -[y]; rewrite mem_filter => /andP[reads_y _] [-> ->].
    have Dy := stayD h v y (or_introl erefl) Dv reads_y.
    have [eq_r eq_o] := same_h v y Dv Dy.
    by exists (f y); [rewrite mem_filter -eq_r reads_y mem_enum|rewrite eq_o].
  have [u Du eq_y] := onto y (stayE g (f v) y (or_introl erefl) (image v Dv) reads_y).
  have [eq_r eq_o] := same_h v u Dv Du.
  by exists u; [rewrite mem_filter eq_r eq_y reads_y mem_enum|rewrite eq_o eq_y].
- exact: image.
Qed.
End Isomorphism.
