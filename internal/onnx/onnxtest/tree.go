package onnxtest

import (
	"fmt"
	"math"
)

// tree maps the numbers of the nodes of one tree of a TreeEnsembleRegressor to these nodes. The
// root has the number 0.
type tree map[int]*treeNode

type treeNode struct {
	mode                  string
	feature               int
	threshold             float64
	trueChild, falseChild int
	missingTrue           bool
	targets               []int
	weights               []float64
}

// treeEnsemble is the operator TreeEnsembleRegressor. It adds the weights of the leaves in
// float64 and returns the sums as float32.
func treeEnsemble(n *node, in []*Tensor) *Tensor {
	if n.trees == nil {
		n.decodeTrees()
	}
	targets, columns := n.intAttribute("n_targets", 0), in[0].Dims[1]
	t := &Tensor{kind: typeFloat32, Dims: []int{in[0].Dims[0], targets}}
	for i := range t.Dims[0] {
		row, sums := in[0].Numbers[i*columns:][:columns], make([]float64, targets)
		for _, tree := range n.trees {
			leaf := tree.leaf(row)
			for k, target := range leaf.targets {
				sums[target] += leaf.weights[k]
			}
		}
		for _, sum := range sums {
			t.Numbers = append(t.Numbers, float64(float32(sum)))
		}
	}
	return t
}

// leaf returns the leaf that a row falls into.
func (t tree) leaf(row []float64) *treeNode {
	at := t[0]
	for at.mode == "BRANCH_LEQ" {
		x := row[at.feature]
		if x <= at.threshold || math.IsNaN(x) && at.missingTrue {
			at = t[at.trueChild]
		} else {
			at = t[at.falseChild]
		}
	}
	if at.mode != "LEAF" {
		panic("mode " + at.mode)
	}
	return at
}

// decodeTrees decodes the trees of a node and checks the requirements of ONNX Runtime: a tree node
// is the false child of at most one node, and its children are nodes of the same tree.
func (n *node) decodeTrees() {
	trees, ids := n.intsAttribute("nodes_treeids"), n.intsAttribute("nodes_nodeids")
	modes := n.attributes["nodes_modes"].texts(9)
	thresholds := n.attributes["nodes_values_as_tensor"].message(5).tensor().Numbers
	features, missing := n.intsAttribute("nodes_featureids"), n.intsAttribute("nodes_missing_value_tracks_true")
	yes, no := n.intsAttribute("nodes_truenodeids"), n.intsAttribute("nodes_falsenodeids")
	for i, id := range ids {
		if trees[i] == len(n.trees) {
			n.trees = append(n.trees, tree{})
		}
		if id != len(n.trees[trees[i]]) {
			panic(fmt.Sprintf("node %d of tree %d is not in its place", id, trees[i]))
		}
		n.trees[trees[i]][id] = &treeNode{
			mode: modes[i], feature: features[i], threshold: thresholds[i], trueChild: yes[i], falseChild: no[i], missingTrue: missing[i] == 1,
		}
	}
	weights := n.attributes["target_weights_as_tensor"].message(5).tensor().Numbers
	targets, nodes, ofTree := n.intsAttribute("target_ids"), n.intsAttribute("target_nodeids"), n.intsAttribute("target_treeids")
	for i, weight := range weights {
		leaf := n.trees[ofTree[i]][nodes[i]]
		leaf.targets, leaf.weights = append(leaf.targets, targets[i]), append(leaf.weights, weight)
	}
	for _, tree := range n.trees {
		falseParents := map[int]bool{}
		for id, at := range tree {
			switch {
			case at.mode == "LEAF":
				if len(at.weights) == 0 {
					panic("a leaf without weights")
				}
			case at.trueChild <= id || at.falseChild <= id || tree[at.trueChild] == nil || tree[at.falseChild] == nil:
				panic("a child before its parent, or no child")
			case falseParents[at.falseChild]:
				panic("a false child of two nodes")
			default:
				falseParents[at.falseChild] = true
			}
		}
	}
}
