package cmd_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// retiredNames are words that may not be part of an identifier or a file name, each with the
// words to use instead. They were private names of things that have a usual name in the field.
var retiredNames = map[string]string{
	"alone":         "single, separate",
	"asker":         "confirmFlag",
	"bench":         "env, fixture",
	"belt":          "pipeline",
	"checkup":       "check",
	"checkups":      "checks",
	"climb":         "thresholdSearch",
	"contest":       "race",
	"crew":          "workers",
	"crowd":         "candidate",
	"crowded":       "dense",
	"crown":         "finalize",
	"desk":          "workspace",
	"desks":         "workspaces",
	"fixer":         "fixFlags",
	"gater":         "requirementFlags",
	"grid":          "chunk, lookup table",
	"hand":          "stage",
	"handful":       "sparseHistogram",
	"hands":         "workers",
	"harm":          "corrupt, destructive",
	"house":         "localService, options",
	"hurry":         "reportBudget",
	"inquiry":       "RequestCommand",
	"journey":       "run, pipeline",
	"judge":         "evaluate, infer",
	"judged":        "evaluated, scored, validated",
	"jury":          "votes",
	"landlord":      "owner",
	"ledger":        "changeLog",
	"lot":           "sampler",
	"lottery":       "rowSampler",
	"mend":          "repair, coerce",
	"mended":        "repaired, coerced",
	"mender":        "repairer",
	"oct":           "featureGroup",
	"octs":          "featureGroups",
	"pacer":         "scheduler",
	"questionnaire": "permutationSample",
	"racer":         "trainFlags",
	"recipe":        "params",
	"registrar":     "dataDirFlag",
	"rehearsal":     "dryRun, trial",
	"rehearse":      "dryRun, try",
	"rehearsed":     "dryRun, tried",
	"rival":         "baseline, runnerUp",
	"room":          "workspace, width, space",
	"rooms":         "workspaces",
	"scoreboard":    "progressRecorder",
	"shaper":        "layoutFlags",
	"shelf":         "pool",
	"shelves":       "pools",
	"signer":        "tokenSource",
	"stair":         "step",
	"stairs":        "steps",
	"tally":         "counts, stats",
	"tape":          "stream, spill",
	"tell":          "report, print, notify",
	"teller":        "reporter",
	"told":          "reported, messages, stderr",
	"tray":          "gatherBuffer",
	"twin":          "duplicate, reference",
	"twins":         "duplicates, reference",
	"vacate":        "loadIntoMemory",
	"vault":         "credentialStore",
	"waiter":        "waitFlags",
	"withdraw":      "unregister, drop",
}

// retiredTypes are words that may not be the name of a type, but may be part of other names.
var retiredTypes = map[string]string{
	"finder": "splitFinder, binIndex",
	"helper": "worker",
	"lane":   "worker, RunState",
	"strip":  "rowBlock",
	"take":   "levels",
	"walk":   "session",
}

// retiredPhrases may not be in comments, messages and pages. Each has the phrase to use
// instead.
var retiredPhrases = map[string]string{
	"are none":      "there are no, is invalid",
	"are to be":     "must be, are",
	"crowd":         "candidate",
	"desk":          "workspace",
	"for ever":      "forever",
	"for its own":   "of its own, separate",
	"gives":         "returns, is, has",
	"had by":        "obtained with, from",
	"has it that":   "requires",
	"house":         "service",
	"is none":       "is invalid, is not one",
	"is to be":      "must be, is",
	"journey":       "run",
	"judge":         "evaluate, compare",
	"judged":        "evaluated, scored",
	"jury":          "votes",
	"ledger":        "log of changes",
	"lottery":       "sampling",
	"mend":          "repair",
	"mended":        "repaired",
	"of which":      "whose, including, ; N of them",
	"questionnaire": "sample",
	"rehearsal":     "dry run, trial",
	"rehearsed":     "tried, not sent",
	"rival":         "baseline",
	"scoreboard":    "progress",
	"shelf":         "pool",
	"so many":       "that many, N",
	"stair":         "step",
	"stairs":        "steps",
	"tally":         "count",
	"tell":          "report, show, distinguish",
	"tells":         "reports, shows, determines",
	"told":          "reported, shown",
	"tray":          "buffer",
	"twin":          "duplicate, reference implementation",
	"twins":         "duplicates",
	"what is to be": "which",
}

// goodPhrases are allowed although they contain a retired phrase, because they are plain
// English.
var goodPhrases = []string{"there is none", "there are none", "gives up", "each of which", "either of which", "first of which", "none of which", "one of which", "some of which"}

// wordExceptions are files and folders that may use a word. The path of a folder ends in a
// slash.
var wordExceptions = []struct{ path, word, reason string }{
	{"cmd/words_test.go", "", "the lists"},
	{"internal/learn/prepare_test.go", "desk", "the text of a review"},
}

// TestWords checks that names, comments, messages and pages do not use retired words.
func TestWords(t *testing.T) {
	root := ".."
	used := make([]bool, len(wordExceptions))
	seen := map[string]bool{} // names that were already reported for this file
	remark := func(path string, line int, word, in, use string) {
		for i, e := range wordExceptions {
			if (e.path == "" || e.path == path || strings.HasSuffix(e.path, "/") && strings.HasPrefix(path, e.path)) && (e.word == "" || e.word == word) {
				used[i] = true
				return
			}
		}
		if key := path + in + word; !seen[key] || in == "" {
			seen[key] = true
			t.Errorf("%s:%d: %s %q: use %s", path, line, in, word, use)
		}
	}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == ".git" || name == "bench" {
				return fs.SkipDir
			}
			return nil
		}
		path := filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator)))
		switch filepath.Ext(file) {
		case ".go":
			for _, word := range splitName(strings.TrimSuffix(entry.Name(), ".go")) {
				if use := retiredNames[word]; use != "" && word != "bench" { // bench_test.go has benchmarks
					remark(path, 0, word, "file name", use)
				}
			}
			return checkGoFile(file, func(line int, word, in, use string) { remark(path, line, word, in, use) })
		case ".md", ".txtar", ".txt", ".sh":
			text, err := os.ReadFile(file)
			findPhrases([]passage{{1, string(text)}}, func(line int, phrase, use string) { remark(path, line, phrase, "", use) })
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range wordExceptions {
		if !used[i] {
			t.Errorf("no file needs the exception %+v", e)
		}
	}
}

// checkGoFile reports the retired words in identifiers, comments and messages of a file. A
// string without a space is taken for a name and not for a message.
func checkGoFile(file string, remark func(line int, word, in, use string)) error {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	inText := func(line int, phrase, use string) { remark(line, phrase, "", use) }
	for _, group := range f.Comments {
		var comment []passage
		for _, c := range group.List {
			comment = append(comment, passage{set.Position(c.Pos()).Line, c.Text})
		}
		findPhrases(comment, inText)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			for _, word := range splitName(n.Name) {
				if use := retiredNames[word]; use != "" {
					remark(set.Position(n.Pos()).Line, word, n.Name, use)
				}
			}
		case *ast.TypeSpec:
			if use := retiredTypes[strings.ToLower(n.Name.Name)]; use != "" {
				remark(set.Position(n.Pos()).Line, n.Name.Name, "type", use)
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && strings.Contains(n.Value, " ") {
				findPhrases([]passage{{set.Position(n.Pos()).Line, n.Value}}, inText)
			}
		}
		return true
	})
	return nil
}

// passage is a text with the line in which it begins.
type passage struct {
	line int
	text string
}

// findPhrases reports the retired phrases in passages. The passages are joined, because a
// phrase may be divided between two of them.
func findPhrases(passages []passage, report func(line int, phrase, use string)) {
	var words []string
	var lines []int
	for _, p := range passages {
		for i, line := range strings.Split(p.text, "\n") {
			for word := range strings.FieldsFuncSeq(strings.ToLower(line), isSeparator) {
				plain := strings.Trim(word, ".,:;")
				words, lines = append(words, plain), append(lines, p.line+i)
				if plain != word { // a phrase ends here
					words, lines = append(words, ""), append(lines, p.line+i)
				}
			}
		}
	}
	for i := range words {
		for n := 1; n <= 4 && i+n <= len(words); n++ {
			phrase := words[i]
			if n > 1 {
				phrase = strings.Join(words[i:i+n], " ")
			}
			if use := retiredPhrases[phrase]; use != "" && !isGood(words, i, phrase) {
				report(lines[i], phrase, use)
			}
		}
	}
}

// isSeparator reports whether a character separates the words of a phrase. Punctuation that
// ends a phrase does not.
func isSeparator(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".,:;", r)
}

// isGood reports whether a phrase at i is part of a good phrase.
func isGood(words []string, i int, phrase string) bool {
	around := " " + strings.Join(words[max(i-1, 0):min(i+3, len(words))], " ") + " "
	return slices.ContainsFunc(goodPhrases, func(good string) bool {
		return strings.Contains(good, phrase) && strings.Contains(around, " "+good+" ")
	})
}

// splitName returns the words of an identifier or a file name in lower case.
func splitName(name string) []string {
	runes := []rune(name)
	var words []string
	start := 0
	for i := 1; i <= len(runes); i++ {
		switch {
		case i < len(runes) && unicode.IsLetter(runes[i]) && unicode.IsLetter(runes[i-1]):
			nextIsLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(runes[i]) || unicode.IsUpper(runes[i-1]) && !nextIsLower {
				continue
			}
		case i < len(runes) && unicode.IsLetter(runes[i]) == unicode.IsLetter(runes[i-1]):
			continue
		}
		if unicode.IsLetter(runes[start]) {
			words = append(words, strings.ToLower(string(runes[start:i])))
		}
		start = i
	}
	return words
}

// TestSplitName checks the words of names.
func TestSplitName(t *testing.T) {
	for name, want := range map[string]string{"maxRowsInHTTPBody": "max rows in http body", "gate_rival": "gate rival", "build8Cells": "build cells", "x": "x", "_": "", "ID": "id"} {
		if got := fmt.Sprint(splitName(name)); got != "["+want+"]" {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
