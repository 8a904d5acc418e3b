package api

import "strings"

// AlgorithmKind returns the kind of the algorithm with this code: "BFIF01" → "forest". Codes begin
// with B for two classes, and with M for more. AlgorithmKind returns "" for BLEND and for an
// unknown code.
func AlgorithmKind(code string) string {
	if code == "" || !strings.Contains("BM", code[:1]) {
		return ""
	}
	switch code[1:] {
	case "SEV01":
		return "neural network"
	case "FIF01":
		return "forest"
	case "SIX01":
		return "boosting"
	case "SEV02":
		return "symmetric boosting"
	}
	return ""
}

// AlgorithmTitle returns the code and the kind of an algorithm for people, such as "BFIF01
// forest". If the kind is unknown, it returns only the code.
func AlgorithmTitle(code string) string {
	return strings.TrimSpace(code + " " + AlgorithmKind(code))
}

// SupportsMonotone reports whether an algorithm can train models that are monotone in chosen
// columns; see [Monotone]. Other algorithms do not take part in races with monotone columns.
func SupportsMonotone(code string) bool { return AlgorithmKind(code) != "neural network" }

// Algorithms returns the codes of the four algorithms for a number of classes, in
// the order in which they are shown.
func Algorithms(classes int) []string {
	if classes > 2 {
		return []string{"MSEV01", "MFIF01", "MSIX01", "MSEV02"}
	}
	return []string{"BSEV01", "BFIF01", "BSIX01", "BSEV02"}
}
