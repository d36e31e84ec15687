(** The merged classes, written out as positions again, compute the states of the single tasks. *)
From mathcomp Require Import all_ssreflect.
From Attention Require Import Mask Representative Quotient DownSet EqualStates ClassStates Merge.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** A list and its multiset are rearrangements of each other. *)
Lemma perm_multiset (T : choiceType) (s : seq T) : perm_eq s (multiset s).
Proof. by apply: chooseP; apply: perm_refl. Qed.

Section Expansion.
Variables (label : choiceType) (D : diagram [eqType of seq label]).
Hypothesis orderD : partial_order (@reads _ D).
Hypothesis nonempty : forall t : D, 0 < size (input t).
Hypothesis canonical : forall t : D, multiset (input t) = input t.
Implicit Types (t s : D).

(** One position for each input of each class, which reads as its class does. *)
Definition expanded : diagram label :=
  @Diagram label [finType of {t : D & 'I_(size (input t))}]
    (fun x y => reads (tag x) (tag y))
    (fun x => tnth (in_tuple (input (tag x))) (tagged x)).

(** There are as many positions as inputs. *)
Theorem expanded_size : #|expanded| = \sum_(t : D) size (input t).
Proof.
rewrite card_tagged sumnE big_map big_enum /=.
by apply: eq_bigr => t _; rewrite card_ord.
Qed.

(** The mask is a preorder. *)
Lemma expanded_dense : preorder (@reads _ expanded).
Proof.
have [[reflD transD] _] := orderD.
by split=> [x|y x z] /=; [apply: reflD|apply: transD].
Qed.

(** It is a dense task. *)
Definition expanded_task : task label := Task expanded_dense.

(** The first position of a class. *)
Definition first_of t : expanded := Tagged (fun t => 'I_(size (input t))) (Ordinal (nonempty t)).

(** The class of a position in the task. *)
Definition class_of_position (x : expanded) : class_diagram expanded_task :=
  node_of (dense expanded_task) x.

(** Positions share a class exactly if they come from one. *)
Lemma same_class (x y : expanded) : (class_of_position x == class_of_position y) = (tag x == tag y).
Proof.
have [[reflD _] antiD] := orderD.
apply/eqP/eqP => [/(node_ofP (dense expanded_task))/andP[xy yx]|eq_tag].
  by apply: antiD; apply/andP.
by apply/(node_ofP (dense expanded_task)); rewrite /mutual /= eq_tag !reflD.
Qed.

(** The members of a class carry its inputs. *)
Lemma class_inputs t :
  perm_eq (input t)
    [seq input k | k <- enum expanded & class_of_position k == class_of_position (first_of t)].
Proof.
pose at_t i : expanded := Tagged (fun t => 'I_(size (input t))) (i : 'I_(size (input t))).
have members : perm_eq [seq at_t i | i <- enum 'I_(size (input t))]
    [seq k <- enum expanded | class_of_position k == class_of_position (first_of t)].
  apply: uniq_perm => [||k]; last 1 first.
  - rewrite mem_filter mem_enum andbT same_class /=.
    apply/mapP/eqP => [[i _ ->] //|]; case: k => s i /= eq_s; subst s.
    by exists i; rewrite ?mem_enum.
  - rewrite map_inj_uniq ?enum_uniq // => i j eq_ij.
    by move/eqP: eq_ij; rewrite /at_t eq_Tagged /= => /eqP.
  - exact: (filter_uniq _ (enum_uniq _)).
have := perm_map (@input _ expanded) members; rewrite -map_comp.
rewrite (_ : [seq _ | i <- _] = input t) // -[RHS](map_tnth_enum (in_tuple (input t))).
by apply: eq_map => i.
Qed.

(** A class and the class of its positions are equivalent. *)
Theorem expansion_equivalent t : equivalent t (class_of_position (first_of t)).
Proof.
have [[reflD transD] antiD] := orderD.
have readsE s u :
    reads (class_of_position (first_of s)) (class_of_position (first_of u)) = reads s u.
  exact: node_reads_well_defined.
apply/equivalentP; exists (fun s => class_of_position (first_of s)).
split=> [s|c|s u _ _ /eqP|s u _ _|s _].
- by rewrite readsE.
- have [x <-] := node_of_onto (dense expanded_task) c.
  have same_x : class_of_position x = class_of_position (first_of (tag x)).
    by apply/eqP; rewrite same_class.
  by rewrite -/(class_of_position x) same_x readsE; exists (tag x).
- by rewrite same_class => /eqP.
- by rewrite readsE.
- by rewrite -(canonical s); apply/multisetP; apply: class_inputs.
Qed.
End Expansion.

Section MergedPositions.
Variables (label : choiceType) (S : task label).
Notation classes := (class_diagram S).
Notation class_s v := (node_of (dense S) v : classes).

(** Local rigidity of the classes of all tasks, side by side. *)
Hypothesis rigid : locally_rigid classes.

Let orderC : partial_order (@reads _ classes) := quotient_partial_order (dense S).
Let orderM : partial_order (@reads _ (merged classes)) := types_partial_order orderC.

(** The inputs of a class are a multiset. *)
Lemma merged_canonical (t : merged classes) : multiset (input t) = input t.
Proof. by apply/multisetP; rewrite perm_sym; apply: perm_multiset. Qed.

(** An input of a position is one of its class. *)
Lemma input_in_class (v : positions S) : input v \in input (class_s v).
Proof.
rewrite -(perm_mem (perm_multiset _)); apply/mapP; exists v => //.
by rewrite mem_filter mem_enum eqxx.
Qed.

(** No class is empty. *)
Lemma merged_nonempty (t : merged classes) : 0 < size (input t).
Proof.
have [v eq_v] := node_of_onto (dense S) (val t).
by have := input_in_class v; rewrite eq_v -[input (val t)]/(input t); case: (input t).
Qed.

(** The merged task, written out in positions. *)
Definition merged_positions := expanded (merged classes).

(** Every position of a single task has a position of the merged task with the same input and the
    same state, at every depth and for all weights. *)
Theorem merged_positions_keep_states (v : positions S) :
  exists p : merged_positions,
  input p = input v /\
  forall (state : Type) (embed : label -> state) rules,
  (forall F, List.In F rules -> order_blind F) -> states embed rules v = states embed rules p.
Proof.
have super := merged_is_supergraph orderC rigid.
pose t := type_of (class_s v).
have same_input : input (class_s v) = input (t : merged classes).
  exact: (iso_input (supergraph_keeps super (class_s v)) (proj1 (proj1 orderC) _)).
have /tnthP[i eq_i] : input v \in in_tuple (input (t : merged classes)).
  by rewrite -same_input input_in_class.
pose p : merged_positions := Tagged (fun t : merged classes => 'I_(size (input t))) i.
exists p; split=> [|state embed rules blind]; first exact: esym.
apply: (@equivalent_classes_agree _ S (expanded_task orderM)) => //.
apply: equivalent_compose (image_equivalent super (class_s v)) _.
have := expansion_equivalent orderM merged_nonempty merged_canonical t.
congr (equivalent _ _); apply/eqP.
by rewrite (same_class orderM).
Qed.
End MergedPositions.
