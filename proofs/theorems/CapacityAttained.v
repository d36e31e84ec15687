(** The comb mask attains the bound on the total context. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Antichain Capacity.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Comb.
(** [blocks] blocks of [a + 1] tokens; a token is a block and a place in the block. *)
Variables blocks a : nat.
Notation token := ('I_blocks * 'I_a.+1)%type.
Implicit Types x y : token.

(** Each position reads the same place in all blocks. *)
Definition comb : rel token := fun x y => x.2 == y.2.

(** Each own input holds the other tokens of the block. *)
Definition neighbours x : {set token} := [set y | (y.1 == x.1) && (y.2 != x.2)].

(** The comb is a preorder, so one layer is enough. *)
Lemma comb_preorder : preorder comb.
Proof. by split=> [x|y x z]; rewrite /comb // => /eqP->. Qed.

(** A position sees all tokens at other places. *)
Lemma comb_context x : context comb neighbours x = [set y | y.2 != x.2].
Proof.
apply/setP=> y; rewrite inE; apply/bigcupP/idP => [[z /eqP->]|neq].
  by rewrite inE => /andP[].
by exists (y.1, x.2); rewrite ?/comb // inE eqxx.
Qed.

(** No position sees its own token. *)
Lemma comb_no_leak x : x \notin context comb neighbours x.
Proof. by rewrite comb_context inE eqxx. Qed.

(** The number of tokens in some blocks outside one place. *)
Lemma card_places (B : pred 'I_blocks) (p : 'I_a.+1) :
  #|[set y : token | B y.1 && (y.2 != p)]| = #|B| * a.
Proof.
have ->: [set y : token | B y.1 && (y.2 != p)] = setX [set b | B b] [set~ p].
  by apply/setP=> y; rewrite !inE.
by rewrite cardsX cardsC1 card_ord cardsE.
Qed.

(** Each own input holds [a] tokens. *)
Lemma comb_own_size x : #|neighbours x| = a.
Proof. by rewrite -[RHS]mul1n -(card1 x.1) -(card_places _ x.2). Qed.

(** The bound is tight: the comb reaches the bound with equality. *)
Theorem capacity_attained :
  total_context comb neighbours * a.+1 = #|[finType of token]| ^ 2 * a.
Proof.
rewrite /total_context (eq_bigr (fun _ => blocks * a)) => [|x _].
  by rewrite sum_nat_const card_prod !card_ord -mulnn -!mulnA [a * _]mulnC.
rewrite comb_context -[X in X * a]card_ord -(card_places xpredT x.2).
by apply: eq_card => y; rewrite !inE.
Qed.
End Comb.
