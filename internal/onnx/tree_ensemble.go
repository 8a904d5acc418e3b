package onnx

import (
	"encoding/binary"
	"math"
)

// TreeEnsemble collects trees for TreeEnsembleRegressor. A tree is added from its leaves
// to its root:
//
//	e := onnx.NewTreeEnsemble(1)
//	low, high := e.AddLeaf(onnx.Weight{Value: -1}), e.AddLeaf(onnx.Weight{Value: 1})
//	e.EndTree(e.AddSplit(&split, low, high))
//
// All inner nodes have the mode BRANCH_LEQ, because runtimes are fastest if a model has one mode. A
// split into more than two intervals becomes several nodes, each the false child of the node
// before. All branches that leave the chain lead to one of the two children of the split, left and
// right. For example, if x ≤ 2 goes right, 2 < x ≤ 5 left and x > 5 right:
//
//	x ≤ 2 ─false─ x ≤ 5 ─false─ right
//	  └─true─ right  └─true─ left
//
// So a child may have several parents. ONNX Runtime accepts this only if the child is the false
// child of at most one of them. This holds, because the false branch of each node of a chain leads
// to the next node of the chain. Only the false branch of the last node leads to a child of the
// split.
type TreeEnsemble struct {
	targets int
	trees   int
	// nodes are the nodes of the current tree. Children precede their parents.
	nodes []treeNode

	// Attributes of nodes.
	ids, treeIDs, features, trueIDs, falseIDs, missingTrue, modes, thresholds []byte
	// Attributes of weights.
	weightIDs, weightTreeIDs, weightTargets, weights []byte
	numNodes, numWeights                             int
}

// TreeNode is a node of the current tree: the tree that AddLeaf and AddSplit build until EndTree is
// called. Its value is the index of the node in the order in which the nodes were added. After
// EndTree it is no longer valid.
type TreeNode int

type treeNode struct {
	trueChild, falseChild TreeNode // the children; -1 for a leaf
	column                int
	threshold             float64
	missingTrue           bool
	weights               []Weight
}

// Weight is a number, Value, that a leaf adds to the output with the index Target.
type Weight struct {
	Target int
	Value  float64
}

// NewTreeEnsemble returns an ensemble without trees and with the given number of outputs.
func NewTreeEnsemble(targets int) *TreeEnsemble { return &TreeEnsemble{targets: targets} }

// AddLeaf adds a leaf to the current tree and returns its node. A row in the leaf adds weights to
// the outputs.
func (e *TreeEnsemble) AddLeaf(weights ...Weight) TreeNode {
	return e.addNode(treeNode{trueChild: -1, falseChild: -1, weights: weights})
}

// AddSplit adds a split to the current tree and returns its node. s must not send all rows to
// one side. The node must be the only parent of left and right.
func (e *TreeEnsemble) AddSplit(s *Split, left, right TreeNode) TreeNode {
	child := func(isLeft bool) TreeNode {
		if isLeft {
			return left
		}
		return right
	}
	last := len(s.Left) - 1
	if last == 0 { // only NaN goes to the other side
		return e.addNode(treeNode{trueChild: child(s.Left[0]), falseChild: child(s.MissingLeft), column: s.Column, threshold: math.Inf(1)})
	}
	next := child(s.Left[last])
	for i := last - 1; i >= 0; i-- {
		// A row with NaN leaves the chain at the first node whose true child is the child for NaN.
		missing := s.Left[i] == s.MissingLeft && (i == 0 || i == 1)
		next = e.addNode(treeNode{trueChild: child(s.Left[i]), falseChild: next, column: s.Column, threshold: s.Bounds[i], missingTrue: missing})
	}
	return next
}

func (e *TreeEnsemble) addNode(n treeNode) TreeNode {
	e.nodes = append(e.nodes, n)
	return TreeNode(len(e.nodes) - 1)
}

// EndTree ends the current tree, whose root must be its last node.
func (e *TreeEnsemble) EndTree(root TreeNode) {
	id := func(n TreeNode) uint64 { return uint64(root - n) }
	for at := root; at >= 0; at-- {
		n := &e.nodes[at]
		e.ids = binary.AppendUvarint(e.ids, id(at))
		e.treeIDs = binary.AppendUvarint(e.treeIDs, uint64(e.trees))
		e.features = binary.AppendUvarint(e.features, uint64(n.column))
		e.thresholds = binary.LittleEndian.AppendUint64(e.thresholds, math.Float64bits(n.threshold))
		e.missingTrue = append(e.missingTrue, 0)
		if n.missingTrue {
			e.missingTrue[len(e.missingTrue)-1] = 1
		}
		if n.trueChild < 0 {
			e.modes = appendString(e.modes, "LEAF")
			e.trueIDs, e.falseIDs = append(e.trueIDs, 0), append(e.falseIDs, 0)
			e.addLeafWeights(id(at), n.weights)
			continue
		}
		e.modes = appendString(e.modes, "BRANCH_LEQ")
		e.trueIDs, e.falseIDs = binary.AppendUvarint(e.trueIDs, id(n.trueChild)), binary.AppendUvarint(e.falseIDs, id(n.falseChild))
	}
	e.numNodes += int(root) + 1
	e.trees++
	e.nodes = e.nodes[:0]
}

// addLeafWeights adds the weights of the leaf with the given node ID. A leaf without weights gets
// the weight 0 for the first output, because runtimes may expect a weight.
func (e *TreeEnsemble) addLeafWeights(id uint64, weights []Weight) {
	if len(weights) == 0 {
		weights = []Weight{{}}
	}
	for _, w := range weights {
		e.weightIDs = binary.AppendUvarint(e.weightIDs, id)
		e.weightTreeIDs = binary.AppendUvarint(e.weightTreeIDs, uint64(e.trees))
		e.weightTargets = binary.AppendUvarint(e.weightTargets, uint64(w.Target))
		e.weights = binary.LittleEndian.AppendUint64(e.weights, math.Float64bits(w.Value))
	}
	e.numWeights += len(weights)
}

// AddTrees adds an ensemble to the graph. For each row of x, it returns the sum of the weights of
// the row's leaves as float32. The field Column of a split is the index of a column of x. e must
// not be used afterwards.
//
// The attribute base_values is not used. ONNX Runtime would add the base value of an output only to
// rows that fall into a leaf with a weight for this output.
func (g *Graph) AddTrees(e *TreeEnsemble, x Value) Value {
	g.usesTrees = true
	return g.addNode(domainML, "TreeEnsembleRegressor", []Attribute{
		IntAttribute("n_targets", e.targets),
		packedIntsAttribute("nodes_treeids", e.treeIDs),
		packedIntsAttribute("nodes_nodeids", e.ids),
		packedIntsAttribute("nodes_featureids", e.features),
		encodedStringsAttribute("nodes_modes", e.modes),
		tensor64Attribute("nodes_values_as_tensor", e.numNodes, e.thresholds),
		packedIntsAttribute("nodes_truenodeids", e.trueIDs),
		packedIntsAttribute("nodes_falsenodeids", e.falseIDs),
		packedIntsAttribute("nodes_missing_value_tracks_true", e.missingTrue),
		packedIntsAttribute("target_treeids", e.weightTreeIDs),
		packedIntsAttribute("target_nodeids", e.weightIDs),
		packedIntsAttribute("target_ids", e.weightTargets),
		tensor64Attribute("target_weights_as_tensor", e.numWeights, e.weights),
	}, []Value{x})
}
