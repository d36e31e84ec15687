(** If every step of a refutation follows by unit propagation, the formula has no model. *)
From mathcomp Require Import all_ssreflect.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** A literal is a variable and whether it stands plainly; a clause is a list of literals. *)
Definition literal := (nat * bool)%type.
Implicit Types (l : literal) (c d : seq literal) (known : seq literal).
Implicit Types (F G : seq (seq literal)) (model : nat -> bool).

(** The opposite literal. *)
Definition opposite l : literal := (l.1, ~~ l.2).

(** A literal is true in a model. *)
Definition is_true_in model l : bool := model l.1 == l.2.

(** A clause is true in a model if one of its literals is. *)
Definition clause_true model c : bool := has (is_true_in model) c.

(** A model of a formula makes all its clauses true. *)
Definition models model F : bool := all (clause_true model) F.

(** From known literals unit propagation meets a conflict: some clause has all its literals false,
    or all but one, which then is known too. *)
Inductive conflict F : seq literal -> Prop :=
| all_false known c : c \in F -> all (fun l => opposite l \in known) c -> conflict F known
| all_but_one known c l :
    c \in F -> all (fun l' => (l' == l) || (opposite l' \in known)) c ->
    conflict F (l :: known) -> conflict F known.

(** A clause follows if propagation from its opposite literals meets a conflict. *)
Definition follows F c : Prop := conflict F (map opposite c).

(** A literal or its opposite is true. *)
Lemma opposite_true model l : is_true_in model (opposite l) = ~~ is_true_in model l.
Proof. by rewrite /is_true_in /=; case: (model _); case: l.2. Qed.

(** Where propagation meets a conflict, no model has all that was known. *)
Lemma conflict_sound F known model :
  conflict F known -> models model F -> ~~ all (is_true_in model) known.
Proof.
move=> found /allP mod.
elim: found => {known} [known c cF /allP false|known c l cF /allP others _ IH].
  apply/negP=> /allP true; have /hasP[l lc] := mod c cF; apply/negP.
  by rewrite -opposite_true; apply/true/false.
apply/negP=> /allP true; move/negP: IH; apply; apply/allP=> l'; rewrite inE.
case/orP=> [/eqP->|]; last exact: true.
have /hasP[x xc true_x] := mod c cF; have := others x xc; case: eqP => [<-//|_] /= /true.
by rewrite opposite_true true_x.
Qed.

(** What follows is true in every model. *)
Theorem follows_sound F c model : follows F c -> models model F -> clause_true model c.
Proof.
move/conflict_sound=> sound /sound; rewrite all_map -has_predC; apply: sub_has => l /=.
by rewrite opposite_true negbK.
Qed.

(** The formulas that the steps of a refutation make: a clause that follows is added, or any
    clauses are left out. *)
Inductive steps : seq (seq literal) -> seq (seq literal) -> Prop :=
| no_step F : steps F F
| one_more F G c : steps F G -> follows G c -> steps F (c :: G)
| fewer F G G' : steps F G -> {subset G' <= G} -> steps F G'.

(** A model of the formula is one of all that the steps make. *)
Theorem steps_keep_models F G model : steps F G -> models model F -> models model G.
Proof.
elim=> {F G} [F //|F G c _ IH fol /IH mod|F G G' _ IH sub /IH /allP mod].
  by rewrite /models /= (follows_sound fol mod).
by apply/allP=> c /sub; apply: mod.
Qed.

(** A refutation, whose last step meets a conflict from nothing: there is no model. *)
Theorem refuted F G model : steps F G -> conflict G [::] -> ~~ models model F.
Proof.
move=> made bad; apply/negP=> /(steps_keep_models made) mod.
by have := conflict_sound bad mod.
Qed.

(** The clauses of a sum of two counts are true where its flags say which values it has reached. *)
Theorem count_clause (a b total most x y : nat) :
  a + b <= total -> total <= most -> [|| a < x, b < y | (x + y <= most) && (x + y <= total)].
Proof.
move=> le_ab le_most; case: ltnP => //= le_x; case: ltnP => //= le_y.
have le_xy : x + y <= total by apply: leq_trans (leq_add le_x le_y) le_ab.
by rewrite le_xy (leq_trans le_xy).
Qed.
