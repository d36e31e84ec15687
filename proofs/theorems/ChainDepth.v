(** The bound on the depth is sharp: the Hasse mask of a chain needs all its layers. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Growth Limit.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Chain.
Variable n : nat.

(** Each position reads its predecessor. *)
Definition previous : rel 'I_n.+1 := fun q k => q == k.+1 :> nat.

(** After [L] layers a position sees exactly the last [L] predecessors and itself. *)
Theorem previous_power L (q k : 'I_n.+1) :
  power (residual previous) L q k = (k <= q <= k + L).
Proof.
elim: L q k => [|L IH] q k /=.
  by rewrite addn0 -eqn_leq eq_sym.
apply/composeP/idP => [[m []]|/andP[le_kq le_qL]].
  rewrite IH => /orP[/eqP->|/eqP->] /andP[le_km le_mL].
    by rewrite le_km addnS leqW.
  by rewrite leqW //= addnS ltnS.
have [->|neq] := eqVneq q k.
  by exists k; rewrite IH leqnn leq_addr residual_reflexive.
have lt_kq: k < q by rewrite ltn_neqAle le_kq andbT eq_sym.
have lt_q: q.-1 < n.+1 by rewrite (leq_trans _ (ltn_ord q)) // ltnS leq_pred.
exists (Ordinal lt_q); rewrite IH /= /residual /previous /=.
rewrite (ltn_predK lt_kq) eqxx orbT -ltnS (ltn_predK lt_kq) lt_kq.
by rewrite -ltnS (ltn_predK lt_kq) -addnS.
Qed.

(** The bound is sharp: no power below [n] equals the limit on these [n + 1] positions. *)
Theorem depth_bound_sharp L : L < n -> ~ (power (residual previous) L =2 limit (residual previous)).
Proof.
move=> lt_Ln /(_ ord_max ord0); rewrite /limit !previous_power card_ord /= !add0n leqnn.
by rewrite leqNgt lt_Ln.
Qed.
End Chain.
